#include "verify/region_check.h"

#include <algorithm>

namespace flipsat::verify {

using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Module;
using hlo::Opcode;

namespace {

constexpr size_t kNeighbourhood = 96;
constexpr int64_t kDoubt = 1'000'000;
constexpr int64_t kDoubtAgain = 100'000;   // of a value whose operands were looked at already
constexpr int64_t kDoubtOfGuess = 20'000;  // of two that nothing but their form makes a pair

bool passes_on_a_part(Opcode opcode) {
  switch (opcode) {
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kSlice:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kGather:
    case Opcode::kSelect:
    case Opcode::kClamp:
    case Opcode::kSort:
      return true;
    default:
      return false;
  }
}

bool calls_regions(Opcode opcode) {
  return opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional;
}

}  // namespace

std::vector<ComputationId> regions_of(const Module& module) {
  std::vector<bool> reached(module.computations.size(), false);
  std::vector<ComputationId> open = {module.entry};
  reached[module.entry] = true;
  while (!open.empty()) {
    ComputationId computation = open.back();
    open.pop_back();
    for (InstructionId id : module.computations[computation].instructions) {
      if (!calls_regions(module[id].opcode)) continue;
      for (ComputationId called : module[id].called_computations()) {
        if (!reached[called]) open.push_back(called);
        reached[called] = true;
      }
    }
  }
  std::vector<ComputationId> regions;
  for (ComputationId id : module.order) {
    if (reached[id]) regions.push_back(id);
  }
  return regions;
}

RegionCheck::RegionCheck(const Module& before, const Module& after, const hlo::DeviceCounts& counts,
                         Facts& facts, const ProverOptions& options, OnFailure on_failure)
    : before_(before),
      after_(after),
      counts_(counts),
      on_failure_(on_failure),
      pairing_(before, after),
      operations_(before, after),
      cuts_(before, after, facts),
      prover_(before, after, counts, cuts_, options) {}

Result RegionCheck::run() {
  std::vector<ComputationId> regions = regions_of(after_);
  std::vector<bool> is_region(before_.computations.size(), false);
  for (ComputationId id : regions_of(before_)) is_region[id] = true;
  std::erase_if(regions, [&](ComputationId id) {
    ComputationId pair = pairing_.before_of_computation(id);
    return pair == kNoId || !is_region[pair];
  });
  for (ComputationId id : regions) {
    operations_.take_as_same(pairing_.before_of_computation(id), id, true);
    for (InstructionId after : after_.computations[id].instructions) {
      InstructionId before = pairing_.before_of(after);
      if (before != kNoId) cuts_.cut(before, after, false);
    }
  }
  for (ComputationId id : regions) check_region(pairing_.before_of_computation(id), id);
  result_.elements = prover_.elements();
  if (!result_.differences.empty()) {
    result_.verdict = Verdict::kDifferent;
  } else if (!result_.not_checked.empty()) {
    result_.verdict = Verdict::kNotChecked;
  }
  return std::move(result_);
}

// What the root or an effect depends on.
std::vector<bool> RegionCheck::needed_in(ComputationId after) const {
  std::vector<bool> needed(after_.instructions.size(), false);
  const hlo::Computation& computation = after_.computations[after];
  needed[computation.root] = true;
  for (auto id = computation.instructions.rbegin(); id != computation.instructions.rend(); ++id) {
    const InstructionId pair = pairing_.before_of(*id);
    needed[*id] = needed[*id] || operations_.acts_after()[*id] ||
                  (pair != kNoId && operations_.acts_before()[pair]);
    if (!needed[*id]) continue;
    for (InstructionId operand : after_[*id].operands) needed[operand] = true;
  }
  return needed;
}

void RegionCheck::check_region(ComputationId before, ComputationId after) {
  std::vector<bool> needed = needed_in(after);
  bool proved = true;
  auto settle = [&](InstructionId b, InstructionId a, const Proof& proof) {
    bool equal = proof.outcome == Proof::Outcome::kEqual;
    bool is_root = b == before_.computations[before].root && a == after_.computations[after].root;
    if (equal) return;
    // Its result may be the same, or nobody's: what it does outside is not.
    if (operations_.acts_before()[b] || operations_.acts_after()[a]) return report(a, proof);
    if (on_failure_ == OnFailure::kReport && !pairing_.is_guess(a)) {
      report(a, proof);
      cuts_.cut(b, a, true);
      return;
    }
    pairing_.part(a);
    cuts_.uncut(b, a);
    if (is_root) proved = false;
    if (is_root && (on_failure_ == OnFailure::kReport || after == after_.entry)) report(a, proof);
  };
  for (InstructionId a : after_.computations[after].instructions) {
    InstructionId b = pairing_.before_of(a);
    if (b == kNoId || !needed[a] || is_unchanged(b, a)) continue;
    ++result_.values;
    settle(b, a, check_value(b, a));
  }
  InstructionId b = before_.computations[before].root;
  InstructionId a = after_.computations[after].root;
  if (proved && pairing_.before_of(a) != b) {
    ++result_.values;
    Proof proof = check_value(b, a);
    if (proof.outcome != Proof::Outcome::kEqual) {
      proved = false;
      if (on_failure_ == OnFailure::kReport || after == after_.entry) report(a, proof);
    }
  }
  check_effects(before_, before, true);
  check_effects(after_, after, false);
  // Its call sites are then looked into.
  if (!proved && on_failure_ == OnFailure::kPart) operations_.take_as_same(before, after, false);
}

bool RegionCheck::is_unchanged(InstructionId before, InstructionId after) {
  const auto& left = before_[before].operands;
  const auto& right = after_[after].operands;
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (pairing_.before_of(right[i]) != left[i]) return false;
  }
  return operations_.same_operation(before, after);
}

// The same operation on operands of the same shapes.
bool RegionCheck::same_form(InstructionId before, InstructionId after) {
  const auto& left = before_[before].operands;
  const auto& right = after_[after].operands;
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!before_[left[i]].shape.same_value_shape(after_[right[i]].shape)) return false;
  }
  return operations_.same_operation(before, after);
}

Proof RegionCheck::check_value(InstructionId before, InstructionId after) {
  bool is_pair = pairing_.before_of(after) == before;
  bool same_operation = before_[before].operands.size() == after_[after].operands.size() &&
                        operations_.same_operation(before, after);
  Proof by_operands;
  if (same_operation) {
    by_operands = check_operands(before, after);
    if (by_operands.outcome == Proof::Outcome::kEqual) return by_operands;
    if (operations_.acts_after()[after]) return by_operands;
    // An operation that passes on a part of its operands hides differences rather than undoes them:
    // a sample that shows none is no proof. Operands of other shapes may hold the value otherwise.
    bool hides = on_failure_ == OnFailure::kPart && passes_on_a_part(after_[after].opcode);
    if (hides && same_form(before, after)) return by_operands;
  }
  if (operations_.acts_before()[before] || operations_.acts_after()[after]) {
    by_operands.outcome = Proof::Outcome::kUnknown;
    by_operands.reason = "another operation that acts on the world outside";
    return by_operands;
  }
  const bool is_guess = is_pair && pairing_.is_guess(after);
  Proof by_value = prove(before, after, is_pair,
                         is_guess         ? kDoubtOfGuess
                         : same_operation ? kDoubtAgain
                                          : kDoubt);
  // What cannot be looked into is a function of its operands.
  bool opaque = by_value.outcome == Proof::Outcome::kUnknown && !by_value.undecided;
  return opaque && same_operation ? by_operands : by_value;
}

Proof RegionCheck::check_operands(InstructionId before, InstructionId after) {
  const auto& left = before_[before].operands;
  const auto& right = after_[after].operands;
  Proof all;
  const bool is_guess = pairing_.is_guess(after) && pairing_.before_of(after) == before;
  for (size_t i = 0; i < left.size(); ++i) {
    if (pairing_.before_of(right[i]) == left[i]) continue;
    auto [found, is_new] = operand_proofs_.try_emplace({left[i], right[i], is_guess});
    if (is_new) found->second = prove(left[i], right[i], false, is_guess ? kDoubtOfGuess : kDoubt);
    if (found->second.outcome == Proof::Outcome::kEqual) continue;
    all = found->second;
    all.reason = "operand " + std::to_string(i) + ": " + all.reason;
    if (all.outcome == Proof::Outcome::kDifferent) break;
  }
  return all;
}

Proof RegionCheck::prove(InstructionId before, InstructionId after, bool open, int64_t doubt) {
  look_around(before, after);
  return prover_.prove(before, after, open, doubt);
}

// The new and the vanished instructions around two values say where their elements may differ.
void RegionCheck::look_around(InstructionId before, InstructionId after) {
  Borders borders(counts_.devices());
  std::vector<hlo::DeviceGroupsRef> groups;
  auto walk = [&](const Module& module, InstructionId from, auto is_new) {
    std::vector<InstructionId> open = {from};
    for (size_t i = 0; i < open.size() && i < kNeighbourhood; ++i) {
      const Instruction& in = module[open[i]];
      borders.add(module, in);
      if (hlo::is_collective(in.opcode) && counts_.known) {
        hlo::DeviceGroupsRef ref = hlo::device_groups(in, counts_);
        if (ref && !ref->groups.empty()) groups.push_back(ref);
      }
      for (InstructionId operand : in.operands) {
        bool listed = std::find(open.begin(), open.end(), operand) != open.end();
        if (is_new(operand) && !listed) open.push_back(operand);
      }
    }
  };
  walk(before_, before, [&](InstructionId id) { return pairing_.after_of(id) == kNoId; });
  walk(after_, after, [&](InstructionId id) { return pairing_.before_of(id) == kNoId; });
  prover_.set_surroundings(std::move(borders), std::move(groups));
}

void RegionCheck::check_effects(const Module& module, ComputationId computation, bool is_before) {
  for (InstructionId id : module.computations[computation].instructions) {
    if (!(is_before ? operations_.acts_before() : operations_.acts_after())[id]) continue;
    InstructionId other = is_before ? pairing_.after_of(id) : pairing_.before_of(id);
    if (other != kNoId) continue;
    Difference difference;
    difference.computation = module.computations[computation].name;
    difference.instruction = module[id].name;
    difference.text = is_before ? "acts on the world outside and is gone"
                                : "acts on the world outside and is new";
    result_.differences.push_back(std::move(difference));
  }
}

// With parameters of other shapes, as the body of a loop whose state has grown? Its values are then
// functions of another state, and what differs for one state proves nothing.
bool RegionCheck::is_called_otherwise(ComputationId after) const {
  if (after == after_.entry) return false;
  const auto& parameters = after_.computations[after].parameters;
  return std::any_of(parameters.begin(), parameters.end(), [&](InstructionId parameter) {
    const InstructionId pair = pairing_.before_of(parameter);
    return pair != kNoId && !before_[pair].shape.same_value_shape(after_[parameter].shape);
  });
}

void RegionCheck::report(InstructionId after, const Proof& proof) {
  const Instruction& in = after_[after];
  if (proof.outcome == Proof::Outcome::kDifferent && is_called_otherwise(in.computation)) {
    result_.not_checked.push_back(
        {in.name, "in a computation called with other shapes; " + proof.reason});
    return;
  }
  if (proof.outcome == Proof::Outcome::kUnknown) {
    result_.not_checked.push_back({in.name, proof.reason});
    return;
  }
  Difference difference;
  difference.computation = after_.computations[in.computation].name;
  difference.instruction = in.name;
  difference.device = proof.device;
  difference.text = proof.reason;
  const hlo::Dims& dims = part_shape(in.shape, proof.part).dims;
  difference.index.resize(dims.size());
  coordinates(proof.index, hlo::row_major_strides(dims), dims, difference.index.data());
  result_.differences.push_back(std::move(difference));
}

}  // namespace flipsat::verify
