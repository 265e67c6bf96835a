#include "tools/optimize_file.h"

#include <chrono>

#include "frontends/file.h"
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

OptimizedFile optimize_file(const std::string& path, const optimizer::Options& options) {
  const Stopwatch reading;
  const hlo::Module module = frontends::read_module(path);
  const double read = reading.milliseconds();

  OptimizedFile file{optimizer::optimize(module, options), *module.source, {}};
  const Stopwatch writing;
  // An input that nothing improves comes back to the letter, whatever the writer would make of it.
  file.after = file.result.origin == optimizer::Origin::kInput
                   ? file.before
                   : frontends::write_text(file.result.output);
  file.result.elapsed.read = read;
  file.result.elapsed.write = writing.milliseconds();
  return file;
}

}  // namespace flipsat::tools
