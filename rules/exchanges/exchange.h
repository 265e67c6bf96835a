// Exchanges of data, permutes and all-to-alls, give every device a value of the operand's shape
// that others held. So all that passes them does so in one way:
//
//   f(E(x1), .., u, ..) = E(f(x1, .., u, ..))
//
// where f is the same operation on both sides and only its operands change. A file for permutes and
// one for all-to-alls say when; what is common stands here. Going back, an operand that is as good
// where it is stays, and where several would have to be exchanged one of them must be exchanged
// elsewhere already.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rules/vocabulary.h"

namespace flipsat::rules {

inline constexpr const char* kExchangeFamily = "permutes and all-to-alls";

struct Crossing {
  NodeId operation;               // f
  std::vector<ClassId> operands;  // not exchanged: x1, .., u, ..
  unsigned exchanged = 0;         // bit i: operand i is of E
  NodeId exchange;
  int dim = 0;  // along which E exchanges the operands; all-to-alls

  bool is_exchanged(size_t operand) const { return exchanged >> operand & 1; }
};

struct Exchange {
  Kind kind;
  std::string name;    // "permute"
  std::string family;  // for `flipsat rules`
  // Is the operand, left as it is, what it would be if it were exchanged?
  bool (*stays)(const HloGraph& h, const Crossing& crossing, size_t operand);
  // May f and E change places? Operands that are not exchanged stay as they must.
  Verdict (*passes)(const HloGraph& h, const Crossing& crossing);
  // The dim along which f's result is exchanged, if its operands are along `crossing.dim`.
  std::optional<int> (*dim_after)(const HloGraph& h, const Crossing& crossing);
  ClassId (*apply)(HloGraph& h, ClassId x, int dim, const std::vector<NodeId>& sources);
  // Do `stays` or `passes` look at more than facts, for f with these operands?
  bool (*looks_elsewhere)(Kind f, const std::string& operands);
};

// An operation that an exchange passes, and the reason in a few words.
struct Passage {
  Kind kind;
  std::string condition;
};

// The families `<exchange>-<operation>`.
std::vector<Family> exchange_families(const Exchange& exchange,
                                      const std::vector<Passage>& passages);

// What exchanges are among themselves, left to right.
RuleInfo exchange_law(std::string name, std::string equation, std::string condition);

// Is operand i of the crossing where a slice starts?
bool is_start(const HloGraph& h, const Crossing& crossing, size_t operand);
// What is known of the operand, a start as it acts (clamped): on which devices it is equal.
bool is_equal(const HloGraph& h, const Crossing& crossing, size_t operand,
              const std::function<bool(const hlo::DevicePartition&)>& holds);

}  // namespace flipsat::rules
