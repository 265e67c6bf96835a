// What stands between a collective and its partner and says nothing:
//
//   convert-convert:      convert_T(convert_M(x)) = convert_T(x)    M keeps every value of x
//   reshape-reshape:      reshape(reshape(x)) = reshape(x), reshape to x's own dims = x
//   transpose-transpose:  transpose_q(transpose_p(x)) = transpose_{p.q}(x), the identity = x
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

Family whole_slice() {
  return {info("whole-slice", "DS(x, i) = x", "no dim is cut"), add_whole_slice};
}

Family tuple_element() {
  return {info("tuple-element", "get-tuple-element_i(tuple(x0, .., xn)) = xi", "none"), add_tuple};
}

}  // namespace flipsat::rules
