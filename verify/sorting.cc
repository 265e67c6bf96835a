// Sorts. Where an element lands depends on its whole row: with keys that are known numbers the
// order is worked out, else the result is a function of the row, of the position and of the
// comparator.
#include <algorithm>
#include <numeric>

#include "verify/evaluator.h"

namespace flipsat::verify {

// The stable order of a row, `rows` by operand; empty where the comparator does not decide.
std::vector<int64_t> Evaluator::order_of(const hlo::Instruction& sort,
                                         const std::vector<std::vector<Term>>& rows) {
  bool decided = true;
  auto less = [&](int64_t a, int64_t b) {
    if (!decided) return false;
    std::vector<Term> arguments;
    for (const std::vector<Term>& row : rows) {
      arguments.push_back(row[a]);
      arguments.push_back(row[b]);
    }
    std::vector<Term> is_less = apply(sort.called_computations()[0], arguments);
    decided = is_less.size() == 1 && is_less[0].is_known();
    return decided && is_less[0].bits != 0;
  };
  std::vector<int64_t> order(rows[0].size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), less);
  if (!decided) order.clear();
  return order;
}

std::optional<Term> Evaluator::compute_sort(const Place& place) {
  const hlo::Instruction& in = module_[place.instruction];
  const hlo::Shape& shape = shape_of(place);
  hlo::ComputationList called = in.called_computations();
  if (in.dimensions().size() != 1 || called.size() != 1) throw Unmodelled("a sort of no dim");
  AlongDim dim = along(shape.dims, in.dimensions()[0]);
  int64_t outer = dim.outer_of(place.index), inner = dim.inner_of(place.index);
  size_t operands = in.operands.size();
  for (hlo::InstructionId operand : in.operands) {
    if (module_[operand].shape.dims != shape.dims) throw Unmodelled("a sort of different dims");
  }
  work_.spend(dim.size * static_cast<int64_t>(operands));
  std::vector<std::vector<Term>> rows(operands);
  bool known = true;
  for (size_t v = 0; v < operands; ++v) {
    for (int64_t i = 0; i < dim.size; ++i) {
      std::optional<Term> term = want(at_operand(place, v, dim.flat(outer, i, inner)));
      known = known && term;
      if (known) rows[v].push_back(*term);
    }
  }
  if (!known) return std::nullopt;
  Place row{place.instruction, place.frame, kDigest, place.device, dim.flat(outer, 0, inner)};
  auto found = tables_.find(row);
  if (found == tables_.end()) found = tables_.emplace(row, order_of(in, rows)).first;
  if (!found->second.empty()) return rows[place.part][found->second[dim.at(place.index)]];

  std::vector<Term> terms = {Term::integer(dim.at(place.index)), Term::integer(place.part)};
  for (const std::vector<Term>& values : rows) {
    terms.insert(terms.end(), values.begin(), values.end());
  }
  // The comparator as a function: what it makes of arguments that are like no others.
  std::vector<Term> arguments;
  for (hlo::InstructionId parameter : module_.computations[called[0]].parameters) {
    uint64_t number = static_cast<uint64_t>(module_[parameter].parameter_number);
    arguments.push_back(Term::symbol(mix(0xc0de + number), module_[parameter].shape.type));
  }
  std::vector<Term> order = apply(called[0], arguments);
  uint64_t tag = in.bool_attribute(hlo::AttributeKey::kIsStable, false);
  for (const Term& term : order) tag = combine(tag, hash(term));
  return domain_.opaque(tag, shape.type, terms);
}

}  // namespace flipsat::verify
