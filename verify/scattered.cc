// HLO's scatter: an element takes, on top of what it was, all updates whose window falls on it.
#include "verify/evaluator.h"

namespace flipsat::verify {

// The start of every update window in each indexed dim, as read from the indices; null while they
// are waited for.
const std::vector<int64_t>* Evaluator::scatter_starts(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const ScatterPlan& scatter = *plan.scatter;
  const hlo::Instruction& in = module_[place.instruction];
  Place key{place.instruction, place.frame, kDigest, place.device, 0};
  if (auto found = tables_.find(key); found != tables_.end()) return &found->second;
  size_t arrays = in.operands.size() / 2;
  const hlo::Shape& operand = module_[in.operands[0]].shape;
  bool is_unsigned = hlo::is_unsigned_integer(module_[in.operands[arrays]].shape.type);
  size_t length = scatter.to_operand.size();
  work_.spend(static_cast<int64_t>(scatter.index_at.size() * (length + 1)));
  std::vector<int64_t> starts;
  starts.reserve(scatter.index_at.size() * length);
  bool known = true;
  for (int64_t index_at : scatter.index_at) {
    for (size_t k = 0; k < length; ++k) {
      int64_t at = index_at + static_cast<int64_t>(k) * scatter.vector_step;
      std::optional<Term> term = want(at_operand(place, arrays, at));
      known = known && term;
      if (!known) continue;
      int64_t dim = scatter.to_operand[k];
      int64_t start = domain_.start_index(*term, operand.dims[dim] - scatter.window[dim] + 1);
      // Unsigned values past INT64_MAX are out of range.
      starts.push_back(is_unsigned && start < 0 ? operand.dims[dim] : start);
    }
  }
  if (!known) return nullptr;
  return &tables_.emplace(key, std::move(starts)).first->second;
}

std::optional<Term> Evaluator::compute_scatter(const Place& place) {
  const Plan& plan = this->plan(place.instruction);
  const ScatterPlan& scatter = *plan.scatter;
  const hlo::Instruction& in = module_[place.instruction];
  hlo::ElementType type = shape_of(place).type;
  if (plan.reducer && !hlo::convert_preserves_values(type, plan.reducer->type)) {
    throw Unmodelled("a reducer of a type that does not hold the data");
  }
  const std::vector<int64_t>* starts = scatter_starts(place);
  if (!starts) return std::nullopt;
  size_t arrays = in.operands.size() / 2;
  const hlo::Dims& dims = module_[in.operands[0]].shape.dims;
  hlo::Dims at(dims.size());
  coordinates(place.index, hlo::row_major_strides(dims), dims, at.data());

  std::vector<int64_t> updates;
  size_t length = scatter.to_operand.size();
  work_.spend(static_cast<int64_t>(scatter.index_at.size() / 8));
  for (size_t position = 0; position < scatter.index_at.size(); ++position) {
    hlo::Dims from(dims.size(), 0);
    for (size_t k = 0; k < length; ++k) {
      from[scatter.to_operand[k]] = (*starts)[position * length + k];
    }
    for (size_t k = 0; k < scatter.batching.size(); ++k) {
      from[scatter.batching[k]] = scatter.batch[position][k];
    }
    // A window that does not lie inside the operand in full is left out.
    int64_t index = scatter.update_at[position];
    bool hits = true;
    for (size_t i = 0; i < dims.size() && hits; ++i) {
      int64_t within = at[i] - from[i];
      hits = from[i] >= 0 && from[i] <= dims[i] - scatter.window[i] && within >= 0 &&
             within < scatter.window[i];
      if (hits) index += within * scatter.update_strides[i];
    }
    if (hits) updates.push_back(index);
  }

  std::vector<std::vector<Term>> terms(arrays);
  bool known = true;
  for (size_t v = 0; v < arrays; ++v) {
    auto take = [&](const std::optional<Term>& term) {
      known = known && term;
      if (known) terms[v].push_back(*term);
    };
    take(want(at_operand(place, v, place.index)));
    for (int64_t update : updates) take(want(at_operand(place, arrays + 1 + v, update)));
  }
  if (!known) return std::nullopt;
  if (updates.empty()) return terms[place.part][0];
  if (arrays == 1 && plan.reducer && plan.reducer->type == type) {
    return domain_.reduce({plan.reducer->kind, type, SumOrder::kFixed, false}, terms[0]);
  }
  // HLO leaves the order of colliding updates open; here they come in the order of their positions.
  std::vector<Term> running(arrays);
  for (size_t v = 0; v < arrays; ++v) running[v] = terms[v][0];
  for (size_t i = 1; i < terms[0].size(); ++i) {
    std::vector<Term> arguments = running;
    for (size_t v = 0; v < arrays; ++v) arguments.push_back(terms[v][i]);
    running = apply(plan.reducer_computation, arguments);
    if (running.size() != arrays) throw Unmodelled("a scatter of another number of values");
  }
  return running[place.part];
}

}  // namespace flipsat::verify
