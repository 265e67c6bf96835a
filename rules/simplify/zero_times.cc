// zero-times
//
//   x * 0 = 0 * x = 0
//   y + 0 = 0 + y = y
//
// Only where the user says that no float is infinite or NaN and that no zero's sign counts
// (--assume-finite): infinity * 0 is NaN, -1 * 0 is -0, -0 + 0 is +0. Integers are along, for which
// it always holds: tokens go through collectives of those too.
//
// 0 is a constant +0, or what data movement and converts make of one. A constant that is not finite
// says itself that the promise does not hold of it.
//
// Frameworks thread an element of one collective's result, times zero, through the operand of the
// next to keep them in order. Where a flip changes the type of the first, that element would need a
// second collective. The order itself is the compiler's: one program runs on all devices.
#include <cmath>

#include "rules/vocabulary.h"

namespace flipsat::rules {
namespace {

constexpr OpVar kOperation{"operation"};
constexpr int kMostSteps = 6;  // from a constant to what is made of it

bool is_positive_zero(const hlo::Literal& literal) {
  if (literal.elided || !literal.shape.is_array()) return false;
  return std::ranges::all_of(literal.bytes, [](uint8_t byte) { return byte == 0; });
}

bool has_no_number(const hlo::Literal& literal) {
  for (int64_t i = 0; i < literal.shape.element_count(); ++i) {
    const std::optional<double> value = literal.float_at(i);
    if (!value) return false;
    if (!std::isfinite(*value)) return true;
  }
  return false;
}

// Is the class a constant of which `holds`, or made of one by moving and converting its elements?
// Each type on the way must have a zero.
bool is_made_of(const HloGraph& h, ClassId cls, bool (*holds)(const hlo::Literal&),
                int steps = kMostSteps) {
  if (steps == 0 || !hlo::exact_scalar(h.type(cls), 0)) return false;
  return std::ranges::any_of(h.graph().nodes(cls), [&](NodeId node) {
    const Operator& op = h.op(node);
    switch (op.kind) {
      case Kind::kConstant:
        return op.literal && holds(*op.literal);
      case Kind::kConvert:
      case Kind::kReshape:
      case Kind::kTranspose:
      case Kind::kBroadcast:
      case Kind::kSlice:
        return is_made_of(h, h.graph().children(node)[0], holds, steps - 1);
      default:
        return false;
    }
  });
}

// Of an operation's two operands, the one that is not the zero.
std::optional<ClassId> beside_zero(const HloGraph& h, NodeId node) {
  auto children = h.graph().children(node);
  if (is_made_of(h, children[1], is_positive_zero)) return children[0];
  if (is_made_of(h, children[0], is_positive_zero)) return children[1];
  return std::nullopt;
}

Verdict may_drop(const HloGraph& h, NodeId node, hlo::Opcode opcode) {
  const Operator& op = h.op(node);
  if (op.opcode != opcode) return refuse("another operation");
  if (!hlo::is_float(op.shape.type) && !hlo::is_integer(op.shape.type)) {
    return refuse("neither floats nor integers");
  }
  const std::optional<ClassId> other = beside_zero(h, node);
  if (!other) return refuse("no operand is zero");
  // Zeros of the same shape are made, and the shape of a value says how it is packed.
  if (op.shape.layout || h.shape(*other).layout) return refuse("the elements are packed");
  if (is_made_of(h, *other, has_no_number)) return refuse("the other operand is not finite");
  return accept();
}

void add_rewrite(RuleBook& book, const std::string& direction, hlo::Opcode opcode,
                 const std::function<Outcome(HloGraph&, NodeId)>& result) {
  HloGraph& h = book.hlo();
  book.add(
      book.rule(direction, egraph::any_node(language::kind_number(Kind::kElementwise), kOperation))
          .where([&h, opcode](const Match& m) { return may_drop(h, m.node(kOperation), opcode); })
          .then([&h, result](EGraph&, const Match& m) -> Outcome {
            return result(h, m.node(kOperation));
          })
          .looks_elsewhere());
}

void add(RuleBook& book) {
  add_rewrite(book, "product", hlo::Opcode::kMultiply, [](HloGraph& h, NodeId node) -> Outcome {
    const Operator op = h.op(node);
    const ClassId zero = *h.constant(op.region, op.shape.type, 0);
    return op.shape.rank() == 0 ? zero : h.broadcast(egraph::kNoId, zero, {}, op.shape.dims);
  });
  add_rewrite(book, "sum", hlo::Opcode::kAdd, [](HloGraph& h, NodeId node) -> Outcome {
    const std::optional<ClassId> other = beside_zero(h, node);
    // Another rule has just merged the zero's class, and lists are whole once it is rebuilt.
    if (!other) return refuse("no operand is zero");
    return *other;
  });
}

}  // namespace

Family zero_times() {
  return {
      {.name = "zero-times",
       .family = "see-through",
       .equation = "x * 0 = 0, y + 0 = y",
       .condition = "one operand is a constant zero, or made of one by moving and converting it",
       .both_directions = false,
       .needs_finite = true},
      add};
}

}  // namespace flipsat::rules
