// Follows an integer scalar back to where it comes from: a constant, or an element of the loop
// state plus a constant. Looks through copies, reshapes, converts, tuples, calls, fusions,
// barriers, and through elements that loops pass on unchanged. What a trip count is read from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

using Wide = __int128;  // any integer type's values, and sums of a few of them

// Position of an element inside nested tuples; empty: the value itself.
using TuplePath = std::vector<int64_t>;

// state[path] + offset, or just `offset`.
struct Affine {
  bool of_state = false;
  TuplePath path;
  Wide offset = 0;
  // Types that the value passes through, each with the offset at that point: it must stay inside
  // their ranges for the sum to mean what it says.
  struct Passage {
    ElementType type;
    Wide offset;
  };
  std::vector<Passage> passages;
};

// Smallest and largest value of an integer or pred type.
std::pair<Wide, Wide> integer_range(ElementType type);

// One comparison of integers.
struct AffineCompare {
  Affine left, right;
  std::string_view direction;  // LT, LE, GT, GE, EQ, NE
  bool negated = false;
};

class AffineTrace {
 public:
  // `state`: the computation (a loop's body or condition) whose parameter is the loop state; kNoId
  // for values outside the loop.
  AffineTrace(const Module& module, ComputationId state)
      : AffineTrace(module, state, std::make_shared<int>(kMaxSteps)) {}

  // Nullopt: something else.
  std::optional<Affine> trace(InstructionId id, const TuplePath& path);

  // The comparisons whose conjunction the predicate `id` is; nullopt: it is something else.
  std::optional<std::vector<AffineCompare>> conjunction(InstructionId id);

 private:
  // Steps that one trace may take in all; a made-up module could ask for exponentially many.
  static constexpr int kMaxSteps = 4000;

  AffineTrace(const Module& module, ComputationId state, std::shared_ptr<int> steps_left)
      : module_(module), state_(state), steps_left_(std::move(steps_left)) {}

  // A computation entered through a call: its parameters are the call's operands there.
  struct Frame {
    const Frame* outer = nullptr;
    InstructionId call = kNoId;
  };
  // A place to look at: an instruction's element, under the calls that led there.
  struct Value {
    InstructionId id;
    TuplePath path;
    const Frame* frame;
  };

  std::optional<Affine> trace(Value value, int depth);
  std::optional<Affine> trace_sum(const Value& value, int depth);
  std::optional<Affine> trace_constant(const Value& value);
  bool collect(Value value, bool negated, int depth, std::vector<AffineCompare>& found);
  // One step towards the source of a value that is passed on as it is; nullopt where it is
  // computed.
  std::optional<Value> step(const Value& value, int depth);
  std::optional<Value> step_out(const Value& value, int depth);
  bool loop_passes_on(InstructionId loop, const TuplePath& path, int depth);
  const Frame* enter(const Value& value);

  const Module& module_;
  ComputationId state_;
  std::shared_ptr<int> steps_left_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

}  // namespace flipsat::hlo
