// The machine-readable log of a batch: one JSON object a line, appended as things happen, so that
// it tells of all runs in a folder (docs/batch.md).
#pragma once

#include <string>

#include "tools/json_text.h"

namespace flipsat::tools {

class BatchLog {
 public:
  // A last line that was cut off is ended. Throws UsageError where the file cannot be written.
  explicit BatchLog(const std::string& path);
  ~BatchLog();
  BatchLog(const BatchLog&) = delete;
  BatchLog& operator=(const BatchLog&) = delete;

  // {"time": ..., "event": event, and the fields}
  void note(const std::string& event, const Json& fields);

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace flipsat::tools
