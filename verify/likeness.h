// Values that are changed in the same way need one proof: a program repeats its layers, and a
// rewrite of one is the same rewrite in each.
//
// What a proof depends on are the operations between the two values and the cuts below them, which
// cuts are the same, and what is known of them. Two pairs for which all of that agrees have the
// same proof, whatever their instructions are called.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "verify/evaluator.h"
#include "verify/same_operation.h"

namespace flipsat::verify {

class Likeness {
 public:
  // All of that, spelled out.
  using Signature = std::vector<uint64_t>;

  Likeness(const hlo::Module& before, const hlo::Module& after) : before_(before), after_(after) {}

  // Of a pair as the prover would look at it now; nullopt where there is too much to look at, or
  // operations that depend on more than this.
  std::optional<Signature> of(hlo::InstructionId before, LeafSource& before_leaves,
                              hlo::InstructionId after, LeafSource& after_leaves, bool open);

  bool is_proved(const Signature& signature) const { return proved_.contains(signature); }
  void note_proved(Signature signature) { proved_.insert(std::move(signature)); }
  // Pairs whose proof takes more work than is allowed.
  bool is_too_much(const Signature& signature) const { return too_much_.contains(signature); }
  void note_too_much(Signature signature) { too_much_.insert(std::move(signature)); }

 private:
  // One module's operations, numbered so that the same ones have the same number.
  struct Side {
    explicit Side(const hlo::Module& module) : module(module), operations(module, module) {}
    uint64_t number_of(hlo::InstructionId id);

    const hlo::Module& module;
    OperationComparer operations;
    std::map<hlo::InstructionId, uint64_t> numbers;
    std::map<std::vector<uint64_t>, std::vector<hlo::InstructionId>> alike;
  };
  struct Walk;

  bool look(Walk& walk, hlo::InstructionId id, uint32_t part, bool open);
  void write_leaf(Walk& walk, const Leaf& leaf, const hlo::Shape& shape, uint32_t part);
  uint64_t number_of(const hlo::DevicePartition* partition);

  Side before_;
  Side after_;
  std::set<Signature> proved_;
  std::set<Signature> too_much_;
  std::map<const hlo::DevicePartition*, uint64_t> partitions_;
  std::map<std::vector<int64_t>, uint64_t> blocks_;
};

}  // namespace flipsat::verify
