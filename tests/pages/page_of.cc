// page_of REPORT.json: the page of a report, whatever stands in it, on standard output.
#include <fstream>
#include <iostream>

#include "tools/report_page/report_page.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: page_of REPORT.json\n";
    return 2;
  }
  std::ifstream file(arguments[1]);
  std::cout << flipsat::tools::report_page(flipsat::tools::Json::parse(file));
  return 0;
}
