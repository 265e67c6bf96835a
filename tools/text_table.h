// Columns of text, aligned: what the tables on a terminal are made of.
#pragma once

#include <string>
#include <vector>

namespace flipsat::tools {

// With a question mark for each control character: texts of files that a terminal must not obey.
std::string on_one_line(std::string text);

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  // A row may be shorter than the table is wide. Cells are shown on_one_line.
  void add(std::vector<std::string> cells);

  // Lines with two spaces between columns, each line after `indent` spaces, none with spaces at its
  // end. Widths count code points, which is right for what we print.
  std::string text(int indent = 0) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace flipsat::tools
