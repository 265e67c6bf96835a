// Which programs are the same: a hash of 128 bits of what a program is, not of how it is written.
//
// Names, metadata and the numbers of instructions do not count, and neither does the order of a
// computation's list: instructions are numbered by the walk that passes and combiners make of it
// (post_order.h), which reads only operands in their order and unused instructions in theirs. So
// programs of one identity are rewritten alike by every pass and combined alike. Computations that
// are called count by what they compute, and of channels only that there is one. Literal passes
// look at more: for them, who shares a channel counts too, and sharding, and the order of dims in
// memory.
#pragma once

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hlo/module.h"
#include "passes/pass.h"

namespace flipsat::passes {

struct Identity {
  uint64_t high = 0;
  uint64_t low = 0;
  auto operator<=>(const Identity&) const = default;
};

class IdentityFinder {
 public:
  // Of programs that are patched copies of `base`, to which a reference is kept.
  IdentityFinder(const hlo::Module& base, Mode mode);

  // Of everything that the program lists.
  Identity of(const hlo::Module& program);
  // Without what no result and no effect needs.
  Identity of_live(const hlo::Module& program);

 private:
  Identity walk(const hlo::Module& program, bool live_only);
  const Identity& words_of(const hlo::Module& program, hlo::InstructionId id);
  Identity describe(const hlo::Module& program, const hlo::Instruction& instruction) const;
  Identity callee(const hlo::Module& program, hlo::ComputationId computation) const;
  std::vector<hlo::InstructionId> live_post_order(const hlo::Module& program,
                                                  hlo::ComputationId computation) const;

  const hlo::Module& base_;
  const Mode mode_;
  // By instruction of `base`: what it says apart from its operands, once it was asked for.
  std::vector<Identity> words_;
  std::vector<bool> has_words_;
  Identity made_;  // the words of an instruction that was changed
  std::vector<uint32_t> position_;
};

}  // namespace flipsat::passes
