// The class data of random e-graphs, as pure functions that the engine's analysis and the
// reference's both call.
//
// All three facts are joins and `make_facts` is monotone, and what `wishes_for` asks stays asked
// as the facts grow: so data, merges and nodes at the fix-point are the same in any order of work.
#pragma once

#include <memory>
#include <vector>

#include "egraph/analysis.h"
#include "egraph/ids.h"

namespace flipsat::egraph::reference {

struct Operator {
  Kind kind = 0;
  uint32_t payload = 0;
};

// The operators of random e-graphs. A kind has one arity but for kMany, which has any.
enum : Kind {
  kLeaf,    // six of them
  kNumber,  // 0 to 3
  kNeg,
  kAdd,
  kMul,
  kQuad,
  kFive,
  kMany,
  kTriple = 64 + kAdd,  // the same bit in masks of kinds
};
// All of them; an operator's place is its id.
const std::vector<Operator>& signature();
OperatorId operator_of(Kind kind, uint32_t payload = 0);

struct Facts {
  uint32_t size = 0;    // nodes of the smallest term, cut off at 1000; joined by minimum
  uint8_t values = 0;   // bit v: some term of numbers has the value v mod 4; joined by union
  uint8_t letters = 0;  // bit i: leaf i stands in some term; joined by union
  bool operator==(const Facts&) const = default;
};

enum class FactsMode : uint8_t {
  kNone,     // no analysis
  kDerived,  // from the children's facts
  kFolded,   // so too, and `modify` adds nodes and merges
  kGiven,    // known at birth: `propagates` is false
};

Facts make_facts(FactsMode mode, Operator op, const std::vector<Facts>& children);
Facts join(const Facts& a, const Facts& b);

// What `modify` does to a class with these facts.
struct Wish {
  OperatorId op = kNoId;
  bool is_above = false;  // add op(class); otherwise merge the class with the leaf op
};
std::vector<Wish> wishes_for(FactsMode mode, const Facts& facts);

// The same as the engine sees it; null for kNone.
std::unique_ptr<Analysis> facts_analysis(FactsMode mode);

}  // namespace flipsat::egraph::reference
