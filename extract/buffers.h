// The buffers of one computation: which instruction makes them and how long they are read.
//
// A buffer is made by an instruction and lives until the last one that reads it, or to the end
// where the root holds it; the entry's parameters live throughout, those of a callee are its
// caller's and weigh nothing. Tuples and what takes them apart only name buffers that exist, so
// their elements live and die apart; a loop's result is its operand's buffers; an asynchronous
// start shares its operands' buffers, its -done the start's. Linear in the size of the
// computation's text.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "hlo/module.h"

namespace flipsat::extract {

struct Buffer {
  int64_t bytes = 0;
  uint32_t made = 0;       // position in the computation's list
  uint32_t last_read = 0;  // position; the list's length: to the end
};

// Serves any number of computations of a module, one after another.
class BufferPlanner {
 public:
  explicit BufferPlanner(const hlo::Module& module);

  // Good until the next call.
  const std::vector<Buffer>& plan(const hlo::Computation& computation);

 private:
  using BufferId = uint32_t;
  struct Stretch {  // of leaves_
    size_t first = 0;
    size_t count = 0;
  };

  void define(hlo::InstructionId id, bool is_entry, uint32_t end);
  void make(hlo::InstructionId id, const hlo::Shape& shape);
  void make_tuple(hlo::InstructionId id);
  void make_start(hlo::InstructionId id);
  void share(hlo::InstructionId id, hlo::InstructionId operand, size_t begin);
  void share_done(hlo::InstructionId id);
  size_t element_begin(hlo::InstructionId tuple, int64_t index);
  void read(hlo::InstructionId operand, uint32_t position);

  const hlo::Module& module_;
  uint32_t position_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<BufferId> leaves_;
  std::vector<Stretch> leaves_of_;                                              // by InstructionId
  std::unordered_map<hlo::InstructionId, std::vector<size_t>> element_begins_;  // never walked
};

}  // namespace flipsat::extract
