#include "tests/egraph/reference/facts.h"

#include <algorithm>
#include <stdexcept>

#include "egraph/egraph.h"

namespace flipsat::egraph::reference {

const std::vector<Operator>& signature() {
  static const std::vector<Operator> kOperators = {
      {kLeaf, 0},   {kLeaf, 1},   {kLeaf, 2},   {kLeaf, 3}, {kLeaf, 4}, {kLeaf, 5}, {kNumber, 0},
      {kNumber, 1}, {kNumber, 2}, {kNumber, 3}, {kNeg, 0},  {kNeg, 1},  {kAdd, 0},  {kMul, 0},
      {kMul, 1},    {kTriple, 0}, {kQuad, 0},   {kFive, 0}, {kMany, 0}, {kMany, 1}};
  return kOperators;
}

OperatorId operator_of(Kind kind, uint32_t payload) {
  for (OperatorId op = 0; op < signature().size(); ++op) {
    if (signature()[op].kind == kind && signature()[op].payload == payload) return op;
  }
  throw std::logic_error("no such operator in the signature of random e-graphs");
}

namespace {

constexpr uint32_t kLargest = 1000;

// All sums of a value of `a` and a value of `b`, modulo 4.
uint8_t sums(uint8_t a, uint8_t b) {
  uint8_t result = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    for (uint32_t k = 0; k < 4; ++k) {
      if ((a >> i & 1) != 0 && (b >> k & 1) != 0) result |= uint8_t{1} << ((i + k) & 3);
    }
  }
  return result;
}

}  // namespace

Facts make_facts(FactsMode mode, Operator op, const std::vector<Facts>& children) {
  if (mode == FactsMode::kGiven) return {1, 0, static_cast<uint8_t>(1u << (op.kind & 7))};
  Facts facts{1, 0, 0};
  if (op.kind == kLeaf) {
    facts.letters = static_cast<uint8_t>(1u << op.payload);
    return facts;
  }
  facts.values = static_cast<uint8_t>(1u << (op.payload & 3));
  for (const Facts& child : children) {
    facts.size = std::min(facts.size + child.size, kLargest);
    facts.values = sums(facts.values, child.values);
    facts.letters |= child.letters;
  }
  return facts;
}

Facts join(const Facts& a, const Facts& b) {
  return {std::min(a.size, b.size), static_cast<uint8_t>(a.values | b.values),
          static_cast<uint8_t>(a.letters | b.letters)};
}

std::vector<Wish> wishes_for(FactsMode mode, const Facts& facts) {
  if (mode != FactsMode::kFolded) return {};
  std::vector<Wish> wishes;
  for (uint32_t value = 0; value < 4; ++value) {
    if ((facts.values >> value & 1) != 0) wishes.push_back({operator_of(kNumber, value), false});
  }
  const bool has_last_letter = (facts.letters >> 5 & 1) != 0;
  if (has_last_letter && facts.size <= 2) wishes.push_back({operator_of(kNeg), true});
  return wishes;
}

namespace {

class FactsAnalysis : public AnalysisOf<Facts> {
 public:
  explicit FactsAnalysis(FactsMode mode) : mode_(mode) {}

  Facts make(const EGraph& graph, NodeId node) const override {
    std::vector<Facts> children;
    for (const ClassId child : graph.children(node)) children.push_back(graph.data<Facts>(child));
    return make_facts(mode_, {graph.kind(node), graph.payload(node)}, children);
  }
  MergeResult merge(Facts& into, const Facts& from) const override {
    const Facts joined = join(into, from);
    const MergeResult result{joined != into, joined != from};
    into = joined;
    return result;
  }
  bool propagates() const override { return mode_ != FactsMode::kGiven; }
  bool writes_data() const override { return mode_ == FactsMode::kGiven; }
  void write(const Facts& facts, std::string& bytes) const override {
    for (const uint32_t byte :
         {facts.size >> 8, facts.size & 255, uint32_t{facts.values}, uint32_t{facts.letters}}) {
      bytes.push_back(static_cast<char>(byte));
    }
  }
  Facts read(std::string_view bytes) const override {
    if (bytes.size() != 4) throw std::invalid_argument("no facts");
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
    return {byte(0) * 256u + byte(1), byte(2), byte(3)};
  }
  void modify(EGraph& graph, ClassId cls) override {
    for (const Wish& wish : wishes_for(mode_, graph.data<Facts>(cls))) {
      if (wish.is_above) {
        graph.add(wish.op, {cls});
      } else {
        graph.merge(cls, graph.add(wish.op));
      }
    }
  }

 private:
  FactsMode mode_;
};

}  // namespace

std::unique_ptr<Analysis> facts_analysis(FactsMode mode) {
  if (mode == FactsMode::kNone) return nullptr;
  return std::make_unique<FactsAnalysis>(mode);
}

}  // namespace flipsat::egraph::reference
