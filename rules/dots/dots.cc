#include "rules/dots/dots.h"

namespace flipsat::rules {

DotPlace DotView::place(int dim) const {
  const auto& batch = is_left ? dims.lhs_batch : dims.rhs_batch;
  const auto& other_batch = is_left ? dims.rhs_batch : dims.lhs_batch;
  const auto& contracting = is_left ? dims.lhs_contracting : dims.rhs_contracting;
  const auto& other_contracting = is_left ? dims.rhs_contracting : dims.lhs_contracting;
  for (size_t i = 0; i < contracting.size(); ++i) {
    if (contracting[i] == dim) {
      return {DotRole::kContracted, static_cast<int>(other_contracting[i]), -1};
    }
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i] == dim) {
      return {DotRole::kBatch, static_cast<int>(other_batch[i]), static_cast<int>(i)};
    }
  }
  const auto taken = static_cast<int>(batch.size() + contracting.size());
  int result = static_cast<int>(batch.size());
  if (!is_left) result += other_rank - taken;  // behind the left operand's free dims
  for (int before = 0; before < dim; ++before) {
    if (std::ranges::find(batch, before) == batch.end() &&
        std::ranges::find(contracting, before) == contracting.end()) {
      ++result;
    }
  }
  return {DotRole::kFree, -1, result};
}

std::optional<int> DotView::dim_of_result(int result) const {
  for (int dim = 0; dim < rank; ++dim) {
    if (place(dim).result == result) return dim;
  }
  return std::nullopt;
}

DotView view_of_dot(const HloGraph& h, NodeId dot, bool is_left) {
  const auto operands = h.graph().children(dot);
  return {language::dot_dims(h.op(dot)), is_left, h.shape(operands[is_left ? 0 : 1]).rank(),
          h.shape(operands[is_left ? 1 : 0]).rank()};
}

Pattern dot_of(bool is_left, Pattern operand, Pattern other) {
  std::vector<Pattern> operands;
  operands.push_back(is_left ? std::move(operand) : std::move(other));
  operands.push_back(is_left ? std::move(other) : std::move(operand));
  return egraph::node(language::kind_number(Kind::kDot), kDot, std::move(operands));
}

ClassId dot_like(HloGraph& h, NodeId dot, bool is_left, ClassId operand, ClassId other) {
  const language::DotDims dims = language::dot_dims(h.op(dot));
  return is_left ? h.dot(dot, operand, other, dims) : h.dot(dot, other, operand, dims);
}

std::optional<language::CollectiveIndex> sum_in_place_of_gather(HloGraph& h, NodeId gather,
                                                                hlo::ElementType type) {
  if (!h.collective(gather).steering.empty()) return std::nullopt;
  const hlo::DeviceGroups groups = h.collective(gather).groups->without_order();
  auto collective = h.collectives().with_groups(h.op(gather).collective, groups);
  if (!collective) return std::nullopt;
  return h.collectives().with_reducer(*collective, hlo::Reducer{hlo::ReducerKind::kAdd, type});
}

bool may_regroup(hlo::ElementType type, hlo::Numerics allowed) {
  return hlo::is_integer(type) || allowed >= hlo::Numerics::kReassoc;
}

}  // namespace flipsat::rules
