// The page that a report is for people: one file that needs nothing else, made of the JSON report
// and of nothing but it.
//
// The data stand in the page as JSON; a script shows them, by itself and without a network, as the
// page's Content-Security-Policy says. Every text of a module is data and stays data.
#pragma once

#include <string>

#include "tools/json_text.h"
#include "tools/report_page/overall.h"

namespace flipsat::tools {

// A page that is made as records come, of which it keeps a few kilobytes each.
class ReportPage {
 public:
  enum class Of { kModule, kBatch };

  // `head` has what was asked: `flipsat`, `numerics`, `combiner`, `machine` and `objective`, as
  // every report has them.
  ReportPage(Of of, const Json& head);

  // The report of one `optimize`, or {"input", "error"} where it failed. A page of a module takes
  // one.
  void add(const Json& record);

  std::string finish() const;

 private:
  Of of_;
  Json head_;
  std::string records_;  // as JSON, with commas between them
  Json module_;          // the record of a page of one module
  Overall overall_;
};

// The page of a whole report: that of `optimize`, or that of `batch` with its `records`.
std::string report_page(const Json& report);

}  // namespace flipsat::tools
