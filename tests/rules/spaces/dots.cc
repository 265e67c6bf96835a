// Dots over gathers, sums and transposes: operands with batch, contracted and free dims in any
// order. A dim is a letter: b and c are batch dims, k and l contracted, m of the left operand
// alone, n and o of the right one.
#include <algorithm>

#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

struct Dot {
  Grouping groups;
  ElementType type;
  std::string left, right;  // letters of their dims
  std::map<char, int64_t> size;
  char moved = 'm';  // what is gathered or scattered
  enum Other : uint8_t { kReplicated, kOwn, kGathered, kGatheredApart } other = kReplicated;

  bool is_shared(char letter) const { return right.find(letter) != std::string::npos; }
  static bool is_contracted(char letter) { return letter == 'k' || letter == 'l'; }

  Dims dims_of(const std::string& letters, bool whole) const {
    Dims dims;
    for (char letter : letters) {
      dims.push_back(size.at(letter) * (whole && letter == moved ? groups.size() : 1));
    }
    return dims;
  }
  std::string result() const {
    std::string letters;
    for (char letter : left) {
      if (is_shared(letter) && !is_contracted(letter)) letters += letter;
    }
    std::sort(letters.begin(), letters.end());
    for (char letter : left) {
      if (!is_shared(letter)) letters += letter;
    }
    for (char letter : right) {
      if (left.find(letter) == std::string::npos) letters += letter;
    }
    return letters;
  }
  static int64_t at(const std::string& letters, char letter) {
    return static_cast<int64_t>(letters.find(letter));
  }
  Value dot(Program& p, Value a, Value b) const { return dot(p, a, left, b, right); }
  Value dot(Program& p, Value a, const std::string& of_a, Value b, const std::string& of_b) const {
    Program::DimPairs contracting, batch;
    for (char letter : std::string("bckl")) {
      if (of_a.find(letter) == std::string::npos) continue;
      (is_contracted(letter) ? contracting : batch)
          .emplace_back(at(of_a, letter), at(of_b, letter));
    }
    return p.dot(a, b, contracting, batch);
  }
};

std::string shuffled(Choices& choices, const std::string& letters) {
  std::string result;
  for (int64_t i : some_permutation(choices, static_cast<int>(letters.size()))) {
    result += letters[i];
  }
  return result;
}

std::optional<Dot> some_dot(Choices& choices, const std::string& moved) {
  Dot d;
  d.groups = some_grouping(choices);
  d.type = choices.of<ElementType>({ElementType::kS32, ElementType::kF32, ElementType::kBF16});
  std::string shared, left, right;
  for (char letter : std::string("bckl")) {
    if (choices.flag()) shared += letter;
  }
  if (choices.flag()) left += 'm';
  if (choices.flag()) right += choices.flag() ? "n" : "no";
  d.left = shuffled(choices, shared + left);
  d.right = shuffled(choices, shared + right);
  if (d.left.empty() || d.right.size() > 4) return std::nullopt;
  for (char letter : d.left + d.right) d.size[letter] = choices.between(1, 2);
  std::string candidates;
  for (char letter : d.left) {
    if (moved.find(letter) != std::string::npos) candidates += letter;
  }
  if (candidates.empty()) return std::nullopt;
  d.moved = candidates[choices.below(static_cast<int64_t>(candidates.size()))];
  d.other = static_cast<Dot::Other>(choices.below(4));
  if (d.other >= Dot::kGathered && !d.is_shared(d.moved)) return std::nullopt;
  return d;
}

Modules one(hlo::Module module) {
  Modules modules;
  modules.push_back(std::move(module));
  return modules;
}

// dot(AG(a), b), either operand first.
std::optional<Case> gathered(Choices& choices, const std::string& moved) {
  std::optional<Dot> drawn = some_dot(choices, moved);
  if (!drawn) return std::nullopt;
  const Dot d = *drawn;
  const bool is_first = choices.flag();
  const bool is_backward = choices.below(4) == 3;
  if (is_backward && d.other == Dot::kGatheredApart) return std::nullopt;
  const std::optional<Grouping> turned = in_another_order(d.groups);
  if (d.other == Dot::kGatheredApart && !turned) return std::nullopt;
  auto both = [=](Program& p, Value a, Value b) {
    return is_first ? d.dot(p, a, b) : d.dot(p, b, d.right, a, d.left);
  };
  const std::string letters = is_first ? d.result() : [&] {
    Dot turned_round = d;
    std::swap(turned_round.left, turned_round.right);
    return turned_round.result();
  }();
  auto gathers_first = [=](Program& p, Value& aside) {
    aside = p.all_gather(p.parameter(d.type, d.dims_of(d.left, false)), Dot::at(d.left, d.moved),
                         d.groups);
    Value b = hlo::kNoId;
    if (d.other >= Dot::kGathered) {
      b = p.all_gather(p.parameter(d.type, d.dims_of(d.right, false)), Dot::at(d.right, d.moved),
                       d.other == Dot::kGathered ? d.groups : *turned);
    } else {
      b = d.other == Dot::kReplicated ? p.replicated(d.type, d.dims_of(d.right, true))
                                      : p.parameter(d.type, d.dims_of(d.right, true));
    }
    return both(p, aside, b);
  };
  auto gathers_last = [=](Program& p, Value& a) {
    a = p.parameter(d.type, d.dims_of(d.left, false));
    Value b = hlo::kNoId;
    if (d.other >= Dot::kGathered) {
      b = p.parameter(d.type, d.dims_of(d.right, false));
    } else {
      b = d.other == Dot::kReplicated ? p.replicated(d.type, d.dims_of(d.right, true))
                                      : p.parameter(d.type, d.dims_of(d.right, true));
      if (d.is_shared(d.moved)) b = p.own_shard(b, Dot::at(d.right, d.moved), d.groups);
    }
    Value local = both(p, a, b);
    if (Dot::is_contracted(d.moved)) return p.all_reduce(local, ReducerKind::kAdd, d.groups);
    return p.all_gather(local, Dot::at(letters, d.moved), d.groups);
  };
  auto program = [=](bool first, bool with_gather) {
    Program p(d.groups);
    Value a = hlo::kNoId;
    Value result = first ? gathers_first(p, a) : gathers_last(p, a);
    if (with_gather) {
      if (!first) a = p.all_gather(a, Dot::at(d.left, d.moved), d.groups);
      result = p.tuple({result, a});
    }
    return p.finish(result);
  };
  Case made;
  made.module = program(!is_backward, is_backward);
  made.candidates = [=] { return one(program(is_backward, is_backward)); };
  // The gathered operand as it is: only shapes that still fit.
  made.faulty = [=] {
    if (d.other != Dot::kOwn) return Modules();
    return one(program(is_backward, is_backward));
  };
  return made;
}

// dot(R(a), b), R a sum over all members or scattered along a dim.
std::optional<Case> reduced(Choices& choices, bool forward) {
  std::optional<Dot> drawn = some_dot(choices, "mbk");
  if (!drawn || drawn->other >= Dot::kGathered) return std::nullopt;
  const Dot d = *drawn;
  const bool is_scatter = choices.flag();
  if (is_scatter && d.is_shared(d.moved)) return std::nullopt;
  const bool is_first = choices.flag();
  const ReducerKind kind = choices.below(6) == 5 ? ReducerKind::kMaximum : ReducerKind::kAdd;
  auto program = [=](bool sums_first) {
    Program p(d.groups);
    Value a = p.parameter(d.type, d.dims_of(d.left, is_scatter));
    Value b = d.other == Dot::kReplicated ? p.replicated(d.type, d.dims_of(d.right, false))
                                          : p.parameter(d.type, d.dims_of(d.right, false));
    auto reduce = [&](Value x, const std::string& letters) {
      if (!is_scatter) return p.all_reduce(x, kind, d.groups);
      return p.reduce_scatter(x, Dot::at(letters, d.moved), kind, d.groups);
    };
    auto dot = [&](Value x) { return is_first ? d.dot(p, x, b) : d.dot(p, b, d.right, x, d.left); };
    Dot turned = d;
    if (!is_first) std::swap(turned.left, turned.right);
    if (sums_first) return p.finish(dot(reduce(a, d.left)));
    return p.finish(reduce(dot(a), turned.result()));
  };
  Case made;
  made.module = program(forward);
  made.candidates = [=] { return one(program(!forward)); };
  made.faulty = [=] { return d.other == Dot::kOwn ? one(program(!forward)) : Modules(); };
  return made;
}

std::optional<Case> transposed(Choices& choices) {
  std::optional<Dot> drawn = some_dot(choices, "mbckl");
  if (!drawn) return std::nullopt;
  const Dot d = *drawn;
  const bool is_result = choices.below(3) == 2, is_first = choices.flag();
  const std::vector<int64_t> permutation =
      some_permutation(choices, static_cast<int>(is_result ? d.result().size() : d.left.size()));
  // What is transposed to d.left.
  std::string before = d.left;
  if (!is_result) {
    for (size_t i = 0; i < permutation.size(); ++i) before[permutation[i]] = d.left[i];
  }
  auto inputs = [=](Program& p) {
    Value a = p.all_gather(p.parameter(d.type, d.dims_of(before, false)), Dot::at(before, d.moved),
                           d.groups);
    return std::pair(a, p.parameter(d.type, d.dims_of(d.right, true)));
  };
  auto dot = [=](Program& p, Value a, const std::string& of_a, Value b) {
    return is_first ? d.dot(p, a, of_a, b, d.right) : d.dot(p, b, d.right, a, of_a);
  };
  Case made;
  Program p(d.groups);
  auto [a, b] = inputs(p);
  if (is_result) {
    made.module = p.finish(p.transpose(dot(p, a, d.left, b), permutation));
  } else {
    made.module = p.finish(dot(p, p.transpose(a, permutation), d.left, b));
  }
  const Dims result = made.module[made.module.computations[made.module.entry].root].shape.dims;
  auto without = [=](const std::string& of_a) {
    Program q(d.groups);
    auto [x, y] = inputs(q);
    Value made = hlo::kNoId;
    if (is_result) {
      made = is_first ? d.dot(q, y, d.right, x, of_a) : d.dot(q, x, of_a, y, d.right);
    } else {
      made = dot(q, x, of_a, y);
    }
    return q.dims(made) == result ? one(q.finish(made)) : Modules();
  };
  made.candidates = [=] { return without(before); };
  // Dims by their old places.
  made.faulty = [=] {
    if (is_result || d.dims_of(before, true) != d.dims_of(d.left, true)) return Modules();
    return without(d.left);
  };
  return made;
}

}  // namespace

std::vector<Space> dot_spaces() {
  const std::string zeros = "by chance: zeros, or sums of one term";
  const std::map<std::string, std::string> explained = {
      {"sums of floats are regrouped (--numerics reassoc)",
       "right where no sum rounds; the rule is of the class that it names"},
      {"the operand is not gathered elsewhere",
       "on purpose: without a partner it only costs, and would pull dots through gathers for ever"},
      {"the other operand is not gathered elsewhere",
       "on purpose: without a partner it only costs, and would pull dots through gathers for ever"},
      {"the gathered dim is not contracted", "gather-dot is for those"},
      {"the gathered dim is contracted", "gather-dot-contracted is for those"},
      {"the gathered dim is no batch dim", "the other rewrites of the family are for those"},
      {"no match", "gathers, or sums, that the other family is for"},
      {"a group of one gathers nothing", "collective-of-one is for those"},
      {"the contracted dims are not gathered alike", "by chance: zeros, or sizes of one"},
      {"a member's own block cannot be written",
       "replicas and partitions at once leave no single number to read a table by"},
      {"the other operand differs inside a group", "by chance: one member, or zeros"},
      {"beside infinities a dot of floats is not linear", "where nothing is infinite or rounds"},
      {"the scattered dim is not this operand's",
       "its own rewrite, of the other operand, fires, where it is the same on all members"},
      {"the gathered dim is the other operand's", "its own rewrite, of the other operand, fires"},
      {"the batch dims are not gathered alike", "by chance: sizes of one"},
      {"the operands are not both gathered elsewhere",
       "on purpose: without partners it would only cost"},
      {"free dims are exchanged", "by chance: dims of one"},
      {"other dims are exchanged", "by chance: dims of one"}};
  std::vector<Space> spaces;
  auto add = [&](const char* rule, const char* direction, hlo::Numerics numerics, auto make,
                 const char* fault) {
    Space space;
    space.rule = rule;
    space.direction = direction;
    space.numerics = numerics;
    space.promise = numerics == hlo::Numerics::kExact ? Promise::kOrderOpen : Promise::kReassoc;
    space.make = make;
    space.sample = 1500;
    space.fault = fault;
    space.explained = explained;
    spaces.push_back(std::move(space));
  };
  const char* own = "whatever the other operand";
  add(
      "gather-dot", "", hlo::Numerics::kExact,
      [](Choices& choices) { return gathered(choices, "mbck"); }, own);
  for (hlo::Numerics numerics : {hlo::Numerics::kExact, hlo::Numerics::kReassoc}) {
    add(
        "gather-dot-contracted", "", numerics,
        [](Choices& choices) { return gathered(choices, "klm"); }, own);
  }
  add(
      "reduce-dot", "forward", hlo::Numerics::kExact,
      [](Choices& choices) { return reduced(choices, true); }, own);
  add(
      "reduce-dot", "backward", hlo::Numerics::kExact,
      [](Choices& choices) { return reduced(choices, false); }, own);
  add("dot-transpose", "", hlo::Numerics::kExact, transposed, "dims by their old places");
  return spaces;
}

}  // namespace flipsat::rules::testing
