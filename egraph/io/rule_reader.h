// Reads terms and rules at the place where a scanner stands: the common part of the readers of rule
// files and of workloads.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "egraph/io/scanner.h"
#include "egraph/io/text.h"

namespace flipsat::egraph {

enum class Heads : uint8_t {
  kOnFirstUse,  // a head is new by being used, and keeps the number of children
  kDeclared,    // a head without a declaration is an error
};

class TermReader {
 public:
  TermReader(Scanner& scanner, Symbols& symbols, Heads heads)
      : scanner_(scanner), symbols_(symbols), heads_(heads) {}

  // The term that begins here.
  TextTerm read();

 private:
  struct Open {
    std::string_view head;
    size_t at;              // of the parenthesis
    size_t first_on_stack;  // of its children
  };
  void open();
  void close();
  void bare_name();
  void put(TextTerm::Node node);
  SymbolId head(const Open& open, size_t children);
  SymbolId leaf(std::string_view name, size_t at);

  Scanner& scanner_;
  Symbols& symbols_;
  Heads heads_;
  TextTerm term_;
  std::vector<Open> open_;
  std::vector<uint32_t> stack_;  // nodes whose parent is open
};

class RuleReader {
 public:
  RuleReader(Scanner& scanner, Symbols& symbols, Heads heads)
      : scanner_(scanner), symbols_(symbols), heads_(heads) {}

  void take_names(std::span<const TextRule> known);
  // Appends the rule that begins here with its name (both directions of it for `<=>`), and leaves
  // the scanner at the end of its line.
  void read(std::vector<TextRule>& rules);

 private:
  std::string name();
  std::vector<TextTerm> left_side();
  TextTerm side();
  void take_name(const std::string& name, size_t at);
  void check_links(const std::vector<TextTerm>& left) const;
  void check_bound(const TextTerm& term, const std::vector<TextTerm>& left,
                   const char* where) const;

  Scanner& scanner_;
  Symbols& symbols_;
  Heads heads_;
  boost::unordered_flat_set<std::string> names_;  // membership only
};

}  // namespace flipsat::egraph
