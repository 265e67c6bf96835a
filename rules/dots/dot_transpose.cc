// dot-transpose
//
//   dot(transpose_p(a), b) = dot'(a, b)       p keeps the order of a's free dims
//   transpose_p(dot(a, b)) = dot'(b, a)       p puts b's free dims before a's
//
// exact, order-open: dot' names the same dims by where they stand in a. So two dots that want a
// value one way and the other way round can share one gather of it. Only towards fewer transposes.
#include "rules/dots/dots.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kTranspose{"transpose"};

// Are the operand's dims that stay in the result in the same order before the transpose?
bool keeps_free_order(const DotView& view, const std::vector<int64_t>& permutation) {
  int64_t last = -1;
  for (int dim = 0; dim < view.rank; ++dim) {
    if (view.place(dim).role != DotRole::kFree) continue;
    if (permutation[dim] < last) return false;
    last = permutation[dim];
  }
  return true;
}

language::DotDims before_transpose(language::DotDims dims, bool is_left,
                                   const std::vector<int64_t>& permutation) {
  for (auto* list : {is_left ? &dims.lhs_contracting : &dims.rhs_contracting,
                     is_left ? &dims.lhs_batch : &dims.rhs_batch}) {
    for (int64_t& dim : *list) dim = permutation[dim];
  }
  return dims;
}

void add_operand(RuleBook& book, bool is_left) {
  HloGraph& h = book.hlo();
  book.add(book.rule("operand/" + side_name(is_left),
                     dot_of(is_left, unary(Kind::kTranspose, kTranspose, kX), kOther))
               .where([&h, is_left](const Match& m) -> Verdict {
                 const DotView view = view_of_dot(h, m.node(kDot), is_left);
                 if (keeps_free_order(view, h.op(m.node(kTranspose)).ints)) return accept();
                 return refuse("free dims are exchanged");
               })
               .then([&h, is_left](EGraph&, const Match& m) -> Outcome {
                 NodeId dot = m.node(kDot);
                 const language::DotDims dims = before_transpose(
                     language::dot_dims(h.op(dot)), is_left, h.op(m.node(kTranspose)).ints);
                 return is_left ? h.dot(dot, m[kX], m[kOther], dims)
                                : h.dot(dot, m[kOther], m[kX], dims);
               }));
}

// Batch dims, then the right operand's free dims, then the left one's.
std::vector<int64_t> exchange_of_operands(const DotView& left) {
  const auto batch = static_cast<int64_t>(left.dims.lhs_batch.size());
  const int64_t taken = batch + static_cast<int64_t>(left.dims.lhs_contracting.size());
  const int64_t left_free = left.rank - taken, right_free = left.other_rank - taken;
  std::vector<int64_t> permutation;
  for (int64_t i = 0; i < batch; ++i) permutation.push_back(i);
  for (int64_t i = 0; i < right_free; ++i) permutation.push_back(batch + left_free + i);
  for (int64_t i = 0; i < left_free; ++i) permutation.push_back(batch + i);
  return permutation;
}

void add_result(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("result", unary(Kind::kTranspose, kTranspose, dot_of(true, kX, kOther)))
               .where([&h](const Match& m) -> Verdict {
                 NodeId dot = m.node(kDot);
                 if (!h.op(dot).steering.empty()) return refuse("attributes name the operands");
                 if (h.op(m.node(kTranspose)).ints ==
                     exchange_of_operands(view_of_dot(h, dot, true))) {
                   return accept();
                 }
                 return refuse("other dims are exchanged");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 NodeId dot = m.node(kDot);
                 const language::DotDims dims = language::dot_dims(h.op(dot));
                 return h.dot(
                     dot, m[kOther], m[kX],
                     {dims.rhs_contracting, dims.lhs_contracting, dims.rhs_batch, dims.lhs_batch});
               }));
}

void add(RuleBook& book) {
  for (bool is_left : {true, false}) add_operand(book, is_left);
  add_result(book);
}

}  // namespace

Family dot_transpose() {
  return {{.name = "dot-transpose",
           .family = kDotFamily,
           .equation = "dot(transpose(a), b) = dot'(a, b), transpose(dot(a, b)) = dot'(b, a)",
           .condition = "free dims keep their order, or change places with the operands",
           .order_open = true,
           .both_directions = false},
          add};
}

}  // namespace flipsat::rules
