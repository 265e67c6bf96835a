// reduce-convert: every pair of types under every reducer, both reductions.
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

const std::vector<ReducerKind> kKinds = {ReducerKind::kAdd,     ReducerKind::kMaximum,
                                         ReducerKind::kMinimum, ReducerKind::kMultiply,
                                         ReducerKind::kAnd,     ReducerKind::kOr};

bool is_logical(ReducerKind kind) { return kind == ReducerKind::kAnd || kind == ReducerKind::kOr; }

struct Reduced {
  bool scatters;
  Grouping groups;
  Dims dims;
  ElementType from, to;

  Value reduce(Program& p, Value x, ReducerKind kind) const {
    return scatters ? p.reduce_scatter(x, 0, kind, groups) : p.all_reduce(x, kind, groups);
  }
  hlo::Module convert_after(ReducerKind kind) const {
    Program p(groups);
    return p.finish(p.convert(reduce(p, p.parameter(from, dims), kind), to));
  }
  hlo::Module convert_before(ReducerKind kind) const {
    Program p(groups);
    return p.finish(reduce(p, p.convert(p.parameter(from, dims), to), kind));
  }
};

// The reducers on the other type that could stand for one: itself, and between pred and numbers
// and for minimum, or for maximum.
std::vector<ReducerKind> counterparts(ReducerKind kind, ElementType other) {
  std::vector<ReducerKind> kinds;
  if (!is_logical(kind) || other == ElementType::kPred) kinds.push_back(kind);
  if (kind == ReducerKind::kAnd) kinds.push_back(ReducerKind::kMinimum);
  if (kind == ReducerKind::kOr) kinds.push_back(ReducerKind::kMaximum);
  if (other == ElementType::kPred && kind == ReducerKind::kMinimum) {
    kinds.push_back(ReducerKind::kAnd);
  }
  if (other == ElementType::kPred && kind == ReducerKind::kMaximum) {
    kinds.push_back(ReducerKind::kOr);
  }
  return kinds;
}

std::optional<Case> make(Choices& choices, bool forward, bool scatters,
                         const std::function<bool(const Reduced&, ReducerKind)>& is_of_interest) {
  Reduced r;
  r.scatters = scatters;
  r.from = choices.of(kAllTypes);
  r.to = choices.of(kAllTypes);
  ReducerKind kind = choices.of(kKinds);
  if (r.from == r.to) return std::nullopt;
  ElementType data = forward ? r.from : r.to;  // what the program reduces
  if (is_logical(kind) != (data == ElementType::kPred)) return std::nullopt;
  if (!is_of_interest(r, kind)) return std::nullopt;
  r.groups = choices.of(optimizer::sorted_groupings());
  // Enough elements that many values of the types meet one another.
  r.dims = {choices.between(1, 2) * r.groups.size(), 24};
  static const char* kNames[] = {"add", "multiply", "minimum", "maximum", "and", "or"};
  Case made;
  made.note = std::string(kNames[static_cast<size_t>(kind)]) + " " +
              std::string(hlo::to_string(r.from)) + " to " + std::string(hlo::to_string(r.to));
  made.module = forward ? r.convert_after(kind) : r.convert_before(kind);
  made.candidates = [=] {
    Modules modules;
    for (ReducerKind other : counterparts(kind, forward ? r.to : r.from)) {
      modules.push_back(forward ? r.convert_before(other) : r.convert_after(other));
    }
    return modules;
  };
  // Fires on any types.
  made.faulty = [=] {
    Modules modules;
    if (!is_logical(kind)) {
      modules.push_back(forward ? r.convert_before(kind) : r.convert_after(kind));
    }
    return modules;
  };
  return made;
}

bool is_widening_sum(const Reduced& r, ReducerKind kind) {
  return hlo::is_float(r.from) && hlo::is_float(r.to) &&
         (kind == ReducerKind::kAdd || kind == ReducerKind::kMultiply);
}

bool is_float_order(const Reduced& r, ReducerKind kind) {
  return hlo::is_float(r.from) && hlo::is_float(r.to) &&
         (kind == ReducerKind::kMinimum || kind == ReducerKind::kMaximum);
}

}  // namespace

std::vector<Space> reduce_convert_spaces() {
  Space space;
  space.rule = "reduce-convert";
  std::vector<Space> spaces;
  for (bool scatters : {false, true}) {
    std::string suffix = scatters ? "reduce-scatter" : "all-reduce";
    space.sample = 4000;
    space.numerics = hlo::Numerics::kExact;
    space.promise = Promise::kBits;
    space.fault = "fires on any pair of types";
    space.direction = "forward/" + suffix;
    space.make = [=](Choices& c) {
      return make(c, true, scatters, [](const Reduced&, ReducerKind) { return true; });
    };
    space.explained = {
        {"the sign of an underflowed zero may differ (--numerics reassoc)",
         "no sample holds zeros of both signs where it would show"},
        {"the convert does not keep the order of values",
         "minimum from float to unsigned, where NaN becomes 0, the least (HLO leaves that to the "
         "backend); maximum from unsigned to a type that overflows to NaN; types whose range "
         "nothing exceeds, as u8 to f8e4m3fn; to f4, which saturates where others overflow"},
        {"the sum would be made in a narrower type",
         "f8e4m3 to f8e4m3fnuz, which rounds alike, and whose NaN stands for infinity"},
        {"a convert to pred",
         "maximum of unsigned numbers is `or` of `not zero`, minimum is `and`: no program was seen "
         "to need it"},
        {"a sum of pred values", "their product is `and`, and so is that of zeros and ones"},
    };
    spaces.push_back(space);

    space.direction = "backward/" + suffix;
    space.make = [=](Choices& c) {
      return make(c, false, scatters, [](const Reduced&, ReducerKind) { return true; });
    };
    space.explained = {
        {"reducing before the convert is not the same",
         "as forward; and a narrowing of floats, which is taken only forward; and `or` of `not "
         "zero`, which is maximum before the convert but moves more bytes there"}};
    spaces.push_back(space);

    space.sample = 1500;
    space.direction = "forward/" + suffix;
    space.numerics = hlo::Numerics::kPrecise;
    space.promise = Promise::kPrecise;
    space.make = [=](Choices& c) { return make(c, true, scatters, is_widening_sum); };
    space.explained = {
        {"the sum would be made in a narrower type",
         "f8e4m3 and its kin, of one precision: right until one of them overflows"},
        {"a sum in this type saturates", "no sample's wider sum goes past the largest value"}};
    spaces.push_back(space);

    space.numerics = hlo::Numerics::kReassoc;
    space.promise = Promise::kReassoc;
    space.make = [=](Choices& c) { return make(c, true, scatters, is_float_order); };
    space.explained = {
        {"the convert does not keep the order of values",
         "to f4, which saturates where others overflow, and 8-bit types whose range the other's "
         "values do not exceed"}};
    spaces.push_back(space);
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
