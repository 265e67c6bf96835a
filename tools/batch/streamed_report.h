// The report of a batch, written record by record: it may be larger than memory. It appears whole
// or not at all, and reads as json_text would write it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "tools/json_text.h"

namespace flipsat::tools {

class StreamedReport {
 public:
  // `head`: the fields before "records". Throws UsageError where the system refuses, as all do.
  StreamedReport(std::string path, const Json& head);
  ~StreamedReport();
  StreamedReport(const StreamedReport&) = delete;
  StreamedReport& operator=(const StreamedReport&) = delete;

  // The fields of a record, as json_fields(record, 6) writes them.
  void add(const std::string& fields);
  void commit();

 private:
  void write(const std::string& text);

  std::string path_, temporary_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
  bool is_first_ = true;
};

}  // namespace flipsat::tools
