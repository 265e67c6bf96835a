// How the small programs that text rules are tried on get each operation: its attributes drawn for
// operands of given shapes, then the operation. One row of the table in text_makers.cc each.
#pragma once

#include "optimizer/harness/drawn_program.h"
#include "rules/text/text_rule.h"

namespace flipsat::optimizer {

// Reducers and element types that a rule names: programs have those more often.
struct NamedInRule {
  std::vector<hlo::ReducerKind> reducers;
  std::vector<hlo::ElementType> types;

  void add(const rules::text::Expression& expression) {
    if (auto* kind = std::get_if<hlo::ReducerKind>(&expression.literal)) reducers.push_back(*kind);
    if (auto* type = std::get_if<rules::text::Type>(&expression.literal))
      types.push_back(type->element);
    for (const rules::text::Expression& argument : expression.arguments) add(argument);
  }
  void add(const rules::text::Term& term) {
    for (const rules::text::Expression& attribute : term.attributes) add(attribute);
    for (const rules::text::Term& operand : term.operands) add(operand);
  }
};

// A program in the making, and what its operations may have.
class Drawer {
 public:
  Drawer(const NamedInRule& named, Choices& choices)
      : named_(named),
        choices_(choices),
        groupings_{any_grouping(choices)},
        program_(groupings_[0]) {}

  Choices& choices() { return choices_; }
  Program& program() { return program_; }
  const Grouping& first_grouping() const { return groupings_[0]; }
  const Grouping& last_grouping() const { return groupings_.back(); }
  const Grouping& some_grouping() { return choices_.of(groupings_); }

  hlo::ElementType any_type();
  hlo::ReducerKind any_reducer(const hlo::Shape& x);
  rules::text::Groups any_groups();
  // Nullopt where groups made of drawn ones cannot be written.
  std::optional<Grouping> grouping_of(const rules::text::Value& groups) const;
  // Each device sends to at most one other, by the ids that a permute without or with a channel
  // has.
  rules::text::Pairs any_pairs();
  int64_t any_dim(const hlo::Shape& x);
  // Of a slice of an array.
  hlo::Dims any_sizes(const hlo::Dims& whole);

 private:
  rules::text::Groups groups_at(size_t index) const;

  const NamedInRule& named_;
  Choices& choices_;
  std::vector<Grouping> groupings_;
  Program program_;
  bool groups_drawn_ = false;
};

struct Maker {
  // None where there are none that fit.
  rules::text::Values (*draw)(Drawer& d, const rules::text::OperatorRow& row,
                              const std::vector<hlo::Shape>& x);
  Value (*build)(Program& p, const rules::text::Values& a, const std::vector<Grouping>& groups,
                 const std::vector<Value>& x);
};

const Maker& maker_of(const rules::text::OperatorRow& row);

}  // namespace flipsat::optimizer
