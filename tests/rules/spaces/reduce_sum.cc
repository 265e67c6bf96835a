// reduce-sum and reduce-scale: sums of two to four terms, each reduced in one way or another,
// scaled, or not reduced at all.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct Term {
  enum Form : uint8_t { kAsItIs, kReduced, kReducedElsewhere };
  Form form = kAsItIs;
  // By which it is multiplied once reduced: 1, -1 (negated), another number, a parameter's own
  // value on each device.
  enum Scale : uint8_t { kOne, kNegated, kConstant, kOwn };
  Scale scale = kOne;
};

struct Sum {
  Grouping groups;
  std::optional<Grouping> elsewhere;
  ElementType type;
  ReducerKind kind;
  bool scatters;
  Dims dims;
  std::vector<Term> terms;

  Opcode opcode() const {
    switch (kind) {
      case ReducerKind::kMaximum:
        return Opcode::kMaximum;
      case ReducerKind::kMultiply:
        return Opcode::kMultiply;
      default:
        return Opcode::kAdd;
    }
  }
  Value reduce(Program& p, Value x, const Grouping& over) const {
    return scatters ? p.reduce_scatter(x, 0, kind, over) : p.all_reduce(x, kind, over);
  }
  Value scaled(Program& p, Value x, Term::Scale scale) const {
    switch (scale) {
      case Term::kOne:
        return x;
      case Term::kNegated:
        return p.elementwise(Opcode::kNegate, {x});
      case Term::kConstant:
        return p.elementwise(Opcode::kMultiply, {x, p.broadcast(p.number(3, type), {}, p.dims(x))});
      case Term::kOwn:
        return p.elementwise(Opcode::kMultiply,
                             {x, p.broadcast(p.parameter(type, {}), {}, p.dims(x))});
    }
    return x;
  }
  // Are there reductions to be added first, or scaled first?
  bool has_work(bool scales) const {
    auto count = [&](auto is_of_interest) { return std::ranges::count_if(terms, is_of_interest); };
    if (!scales) return count([](const Term& term) { return term.form == Term::kReduced; }) >= 2;
    return count([](const Term& term) {
             return term.form != Term::kAsItIs && term.scale != Term::kOne;
           }) >= 1;
  }
  // Terms that are reduced over `groups` are added first where `merges`; scales are moved inside
  // where `scales_first`.
  hlo::Module module(bool merges, bool scales_first) const {
    Program p(groups);
    std::vector<Value> merged, rest;
    for (const Term& term : terms) {
      Dims own = dims;
      if (term.form == Term::kAsItIs && scatters) own[0] /= groups.size();
      Value x = p.parameter(type, own);
      if (scales_first || term.form == Term::kAsItIs) x = scaled(p, x, term.scale);
      if (merges && term.form == Term::kReduced) {
        merged.push_back(x);
        continue;
      }
      if (term.form != Term::kAsItIs) {
        x = reduce(p, x, term.form == Term::kReduced ? groups : *elsewhere);
        if (!scales_first) x = scaled(p, x, term.scale);
      }
      rest.push_back(x);
    }
    auto add_up = [&](const std::vector<Value>& values) {
      Value sum = values.front();
      for (size_t i = 1; i < values.size(); ++i) sum = p.elementwise(opcode(), {sum, values[i]});
      return sum;
    };
    if (!merged.empty()) rest.push_back(reduce(p, add_up(merged), groups));
    return p.finish(add_up(rest));
  }
};

std::optional<Case> make(Choices& choices, const std::vector<ElementType>& types, bool scales) {
  Sum sum;
  sum.groups = some_grouping(choices);
  sum.type = choices.of(types);
  sum.kind = scales ? ReducerKind::kAdd
                    : choices.of(std::vector{ReducerKind::kAdd, ReducerKind::kMaximum,
                                             ReducerKind::kMultiply});
  sum.scatters = choices.flag();
  sum.dims = {sum.groups.size() * choices.between(1, 2), 3};
  // Groups of the same size, so that shapes fit.
  sum.elsewhere = in_another_order(sum.groups);
  const int64_t count = choices.between(2, 4);
  for (int64_t i = 0; i < count; ++i) {
    Term term;
    term.form = static_cast<Term::Form>(choices.of(std::vector<int>{1, 1, 0, 2}));
    if (term.form == Term::kReducedElsewhere && !sum.elsewhere) term.form = Term::kReduced;
    if (scales) term.scale = static_cast<Term::Scale>(choices.below(4));
    sum.terms.push_back(term);
  }
  Case made;
  made.module = sum.module(false, false);
  made.candidates = [=] {
    Modules modules;
    if (sum.has_work(scales)) modules.push_back(sum.module(!scales, scales));
    return modules;
  };
  // Takes any reduced term for reduced alike; scales by what differs too.
  made.faulty = [=] {
    Sum wrong = sum;
    for (Term& term : wrong.terms) {
      if (term.form == Term::kReducedElsewhere) term.form = Term::kReduced;
    }
    Modules modules;
    modules.push_back(wrong.module(true, true));
    return modules;
  };
  return made;
}

const std::vector<ElementType> kIntegers = {ElementType::kS32, ElementType::kU8, ElementType::kS16};
const std::vector<ElementType> kFloats = {ElementType::kF32, ElementType::kBF16};

Space space_of(const std::string& rule, bool floats) {
  Space space;
  space.rule = rule;
  space.sample = 1500;
  const bool scales = rule == "reduce-scale";
  space.make = [=](Choices& choices) {
    return make(choices, floats ? kFloats : kIntegers, scales);
  };
  if (floats) {
    space.numerics = hlo::Numerics::kReassoc;
    space.promise = Promise::kReassoc;
  }
  return space;
}

}  // namespace

std::vector<Space> reduce_sum_spaces() {
  std::vector<Space> spaces;
  for (bool floats : {false, true}) {
    Space space = space_of("reduce-sum", floats);
    space.fault = "takes members in another order for the same groups, and moves any factor";
    spaces.push_back(space);
  }
  return spaces;
}

std::vector<Space> reduce_scale_spaces() {
  std::vector<Space> spaces;
  for (bool floats : {false, true}) {
    Space space = space_of("reduce-scale", floats);
    space.fault = "moves any factor, also one that differs inside a group";
    space.explained = {
        {"no match", "a sum of one reduction: scaling it first brings nothing together"},
        {"no sum to be a term of", "the same"}};
    spaces.push_back(space);
  }
  return spaces;
}

}  // namespace flipsat::rules::testing
