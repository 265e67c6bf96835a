// What stands between a collective and its partner and says nothing:
//
//   convert-convert:      convert_T(convert_M(x)) = convert_T(x)    M keeps every value of x
//   reshape-reshape:      reshape(reshape(x)) = reshape(x), reshape to x's own dims = x
//   transpose-transpose:  transpose_q(transpose_p(x)) = transpose_{p.q}(x), the identity = x
//   slice-slice:          slice(slice(x)) = slice(x), a slice of all of x = x
//   broadcast-broadcast:  broadcast(broadcast(x)) = broadcast(x), to x's own dims = x
//   reverse-reverse:      reverse_b(reverse_a(x)) = reverse(x) along the dims in one of them
//   pad-nothing:          pad(x, v) = x    no padding
//   whole-slice:          DS(x, i) = x    no dim is cut
//   tuple-element:        get-tuple-element_i(tuple(x0, .., xn)) = xi
//
// all exact. A copy needs no rule: it is its operand's class.
#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kInner{"inner"}, kOuter{"outer"};

// Does converting from -> middle -> to give what from -> to gives? The middle must hold every value
// of `from`; then both converts to `to` start from the same value, and only a change of kind in
// between could tell: a float on its way to an integer saturates where an integer would wrap.
bool middle_says_nothing(hlo::ElementType from, hlo::ElementType middle, hlo::ElementType to) {
  if (hlo::is_complex(from) || hlo::is_complex(middle) || hlo::is_complex(to)) return false;
  if (!hlo::convert_preserves_values(from, middle)) return false;
  bool from_integer = !hlo::is_float(from);
  bool to_integer = !hlo::is_float(to);
  if (from_integer && hlo::is_float(middle) && to_integer) {
    return hlo::convert_preserves_values(from, to);
  }
  return true;
}

void add_convert(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("chain", unary(Kind::kConvert, kOuter, unary(Kind::kConvert, kInner, kX)))
               .where([&h](const Match& m) -> Verdict {
                 if (middle_says_nothing(h.type(m[kX]), h.op(m.node(kInner)).shape.type,
                                         h.op(m.node(kOuter)).shape.type)) {
                   return accept();
                 }
                 return refuse("the middle type does not keep every value");
               })
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 return h.convert(m.node(kOuter), m[kX]);
               }));
  book.add(book.rule("identity", unary(Kind::kConvert, kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 if (h.shape(m[kX]) == h.op(m.node(kOuter)).shape) return accept();
                 return refuse("the type changes");
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_reshape(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("chain", unary(Kind::kReshape, kOuter, unary(Kind::kReshape, kInner, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 return h.reshape(m.node(kOuter), m[kX], h.op(m.node(kOuter)).shape.dims);
               }));
  book.add(book.rule("identity", unary(Kind::kReshape, kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 if (h.dims(m[kX]) == h.op(m.node(kOuter)).shape.dims) return accept();
                 return refuse("the dims change");
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_transpose(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("chain", unary(Kind::kTranspose, kOuter, unary(Kind::kTranspose, kInner, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const std::vector<int64_t>& outer = h.op(m.node(kOuter)).ints;
                 const std::vector<int64_t>& inner = h.op(m.node(kInner)).ints;
                 std::vector<int64_t> both;
                 for (int64_t dim : outer) both.push_back(inner[dim]);
                 return h.transpose(m.node(kOuter), m[kX], both);
               }));
  book.add(book.rule("identity", unary(Kind::kTranspose, kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 const std::vector<int64_t>& permutation = h.op(m.node(kOuter)).ints;
                 if (std::is_sorted(permutation.begin(), permutation.end())) return accept();
                 return refuse("dims are exchanged");
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

// Has the result other dims than the operand?
bool changes_dims(const HloGraph& h, const Match& m) {
  return h.dims(m[kX]) != h.op(m.node(kOuter)).shape.dims;
}

void add_slice(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("chain", unary(Kind::kSlice, kOuter, unary(Kind::kSlice, kInner, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const Operator& outer = h.op(m.node(kOuter));
                 const Operator& inner = h.op(m.node(kInner));
                 hlo::SliceDims ranges;
                 for (size_t i = 0; i < outer.ints.size(); i += 3) {
                   const int64_t base = inner.ints[i], stride = inner.ints[i + 2];
                   const int64_t start = outer.ints[i], limit = outer.ints[i + 1];
                   const int64_t step = outer.ints[i + 2], first = base + start * stride;
                   if (start == limit) {  // it may start behind all that there is
                     ranges.push_back({base, base, 1});
                   } else if (limit - start <= step) {  // strides of one element have no end
                     ranges.push_back({first, first + 1, 1});
                   } else {
                     ranges.push_back({first, base + (limit - 1) * stride + 1, stride * step});
                   }
                 }
                 return h.slice(m.node(kOuter), m[kX], ranges);
               }));
  book.add(book.rule("identity", unary(Kind::kSlice, kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 if (changes_dims(h, m)) return refuse("a dim is cut");
                 return accept();
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_broadcast(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("chain", unary(Kind::kBroadcast, kOuter, unary(Kind::kBroadcast, kInner, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 const Operator& outer = h.op(m.node(kOuter));
                 std::vector<int64_t> along;
                 for (int64_t dim : h.op(m.node(kInner)).ints) along.push_back(outer.ints[dim]);
                 return h.broadcast(m.node(kOuter), m[kX], along, outer.shape.dims);
               }));
  book.add(book.rule("identity", unary(Kind::kBroadcast, kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 const Operator& broadcast = h.op(m.node(kOuter));
                 if (changes_dims(h, m)) return refuse("the dims change");
                 if (!std::is_sorted(broadcast.ints.begin(), broadcast.ints.end())) {
                   return refuse("dims are exchanged");
                 }
                 return accept();
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_reverse(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(book.rule("chain", unary(Kind::kReverse, kOuter, unary(Kind::kReverse, kInner, kX)))
               .then([&h](EGraph&, const Match& m) -> Outcome {
                 std::vector<int64_t> inner = h.op(m.node(kInner)).ints;
                 std::vector<int64_t> outer = h.op(m.node(kOuter)).ints;
                 std::ranges::sort(inner);
                 std::ranges::sort(outer);
                 std::vector<int64_t> once;
                 std::ranges::set_symmetric_difference(inner, outer, std::back_inserter(once));
                 if (once.empty()) return m[kX];
                 return h.reverse(m.node(kOuter), m[kX], once);
               }));
  book.add(book.rule("identity", unary(Kind::kReverse, kOuter, kX))
               .where([&h](const Match& m) -> Verdict {
                 for (int64_t dim : h.op(m.node(kOuter)).ints) {
                   if (h.dims(m[kX])[dim] > 1) return refuse("a dim is reversed");
                 }
                 return accept();
               })
               .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_pad(RuleBook& book) {
  HloGraph& h = book.hlo();
  constexpr ClassVar kPadding{"padding"};
  book.add(
      book.rule("identity", egraph::node(language::kind_number(Kind::kPad), kOuter, {kX, kPadding}))
          .where([&h](const Match& m) -> Verdict {
            const std::vector<int64_t>& ints = h.op(m.node(kOuter)).ints;
            for (size_t i = 0; i < ints.size(); i += 3) {
              // What is put between elements does not show where there is one.
              const bool is_inside = ints[i + 2] != 0 && h.dims(m[kX])[i / 3] > 1;
              if (ints[i] != 0 || ints[i + 1] != 0 || is_inside) {
                return refuse("a dim is padded or cut");
              }
            }
            return accept();
          })
          .then([](EGraph&, const Match& m) -> Outcome { return m[kX]; }));
}

void add_whole_slice(RuleBook& book) {
  HloGraph& h = book.hlo();
  book.add(
      book.rule("identity", egraph::any_node(language::kind_number(Kind::kDynamicSlice), kOuter))
          .where([&h](const Match& m) -> Verdict {
            const std::vector<int64_t>& sizes = h.op(m.node(kOuter)).ints;
            const hlo::Dims& dims = h.dims(m.children(kOuter)[0]);
            if (std::equal(sizes.begin(), sizes.end(), dims.begin(), dims.end())) {
              return accept();
            }
            return refuse("a dim is cut");
          })
          .then([](EGraph&, const Match& m) -> Outcome { return m.children(kOuter)[0]; }));
}

void add_tuple(RuleBook& book) {
  HloGraph& h = book.hlo();
  constexpr OpVar kTuple{"tuple"};
  book.add(book.rule("cancel", unary(Kind::kGetTupleElement, kOuter,
                                     egraph::any_node(language::kind_number(Kind::kTuple), kTuple)))
               .then([&h](EGraph& graph, const Match& m) -> Outcome {
                 return graph.children(m.node(kTuple))[h.op(m.node(kOuter)).ints[0]];
               }));
}

RuleInfo info(std::string name, std::string equation, std::string condition) {
  return {.name = std::move(name),
          .family = "see-through",
          .equation = std::move(equation),
          .condition = std::move(condition),
          .both_directions = false};
}

}  // namespace

Family convert_convert() {
  return {info("convert-convert", "convert_T(convert_M(x)) = convert_T(x)",
               "M keeps every value of x's type"),
          add_convert};
}

Family reshape_reshape() {
  return {info("reshape-reshape", "reshape(reshape(x)) = reshape(x)", "none"), add_reshape};
}

Family transpose_transpose() {
  return {info("transpose-transpose", "transpose(transpose(x)) = transpose(x)", "none"),
          add_transpose};
}

Family slice_slice() {
  return {info("slice-slice", "slice(slice(x)) = slice(x), a slice of all of x = x", "none"),
          add_slice};
}

Family broadcast_broadcast() {
  return {info("broadcast-broadcast",
               "broadcast(broadcast(x)) = broadcast(x), a broadcast to x's own dims = x", "none"),
          add_broadcast};
}

Family reverse_reverse() {
  return {info("reverse-reverse", "reverse(reverse(x)) = reverse(x), of no dims = x", "none"),
          add_reverse};
}

Family pad_nothing() {
  return {info("pad-nothing", "pad(x, v) = x", "nothing is padded or cut"), add_pad};
}

Family whole_slice() {
  return {info("whole-slice", "DS(x, i) = x", "no dim is cut"), add_whole_slice};
}

Family tuple_element() {
  return {info("tuple-element", "get-tuple-element_i(tuple(x0, .., xn)) = xi", "none"), add_tuple};
}

}  // namespace flipsat::rules
