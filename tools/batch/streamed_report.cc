#include "tools/batch/streamed_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "tools/usage_error.h"

namespace flipsat::tools {

StreamedReport::StreamedReport(std::string path, const Json& head) : path_(std::move(path)) {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  temporary_ = (folder / fmt::format(".flipsat-{}-report", getpid())).string();
  file_.reset(std::fopen(temporary_.c_str(), "wb"));
  write("{\n" + json_fields(head, 2) + ",\n  \"records\": [");
}

StreamedReport::~StreamedReport() {
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void StreamedReport::write(const std::string& text) {
  if (file_ && std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size()) return;
  throw UsageError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void StreamedReport::add(const std::string& fields) {
  write(std::exchange(is_first_, false) ? "\n    {\n" : ",\n    {\n");
  write(fields);
  write("\n    }");
}

void StreamedReport::commit() {
  write(is_first_ ? "]\n}\n" : "\n  ]\n}\n");
  if (std::fclose(file_.release()) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw UsageError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }
  temporary_.clear();
}

}  // namespace flipsat::tools
