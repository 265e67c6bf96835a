#include "tools/optimize_file.h"

#include <chrono>
#include <utility>

#include "frontends/file.h"
#include "frontends/proto/proto.h"
#include "frontends/text/text.h"
#include "optimizer/optimize.h"

namespace flipsat::tools {
namespace {

class Stopwatch {
 public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string output_text(const hlo::Module& input, const optimizer::Result& result) {
  return result.origin == optimizer::Origin::kInput ? *input.source
                                                    : frontends::write_text(result.output);
}

std::string output_bytes(const OptimizedFile& file, frontends::FileKind kind) {
  if (kind == frontends::FileKind::kText) return file.after;
  if (file.result.origin != optimizer::Origin::kInput) {
    return frontends::write_proto(file.result.output);
  }
  return frontends::was_read_from_proto(file.input) ? frontends::original_bytes(file.input)
                                                    : frontends::write_proto(file.input);
}

OptimizedFile optimize_file(const std::string& path, const optimizer::Options& options) {
  const Stopwatch reading;
  std::string bytes = frontends::read_raw(path);
  const double read = reading.milliseconds();
  OptimizedFile file = optimize_bytes(std::move(bytes), path == "-" ? "<stdin>" : path, options);
  file.result.elapsed.read += read;
  return file;
}

OptimizedFile optimize_bytes(std::string bytes, const std::string& shown,
                             const optimizer::Options& options) {
  OptimizedFile file;
  const Stopwatch reading;
  frontends::FileContent content = frontends::unpack(std::move(bytes), shown);
  file.input = frontends::module_from(std::move(content.bytes), shown);
  file.form = {frontends::kind_of(file.input), content.compression};
  const double read = reading.milliseconds();

  file.result = optimizer::optimize(file.input, options);
  const Stopwatch writing;
  file.before = *file.input.source;
  file.after = output_text(file.input, file.result);
  file.result.elapsed.read = read;
  file.result.elapsed.write = writing.milliseconds();
  return file;
}

}  // namespace flipsat::tools
