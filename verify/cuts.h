// Where a proof stops: pairs of values, one of each module, that are taken as equal.
//
// A cut makes its elements leaves of the same fingerprints on both sides. Cheap definitions that
// say much (constants, tuples, reshapes) are never cut. A proof that fails may need what a cut
// hides; it then opens the cuts that it met, and is tried again.
#pragma once

#include <memory>
#include <vector>

#include "verify/evaluator.h"
#include "verify/facts.h"
#include "verify/start_marks.h"
#include "verify/twins.h"

namespace flipsat::verify {

class Cuts {
 public:
  Cuts(const hlo::Module& before, const hlo::Module& after, Facts& facts);

  // Takes a pair as equal. `closed`: never looked into.
  void cut(hlo::InstructionId before, hlo::InstructionId after, bool closed);
  // Takes it no longer as equal.
  void uncut(hlo::InstructionId before, hlo::InstructionId after);
  // Closes the pair that an instruction belongs to; false if it is in none or closed already.
  bool close(hlo::InstructionId id, bool is_before);

  LeafSource& before_leaves() { return before_side_; }
  LeafSource& after_leaves() { return after_side_; }

  // Forgets which cuts were met and opened.
  void reset();
  // Opens those met since the last call; their number.
  int open_met();
  // Is any met cut still shut that could be opened?
  bool hides_something() const;

 private:
  struct Cut {
    hlo::InstructionId before = hlo::kNoId;
    hlo::InstructionId after = hlo::kNoId;
    bool closed = false;
    bool open = false;
    bool transparent = false;
    std::vector<std::unique_ptr<Leaf>> parts;
  };
  class SideView : public LeafSource {
   public:
    SideView(Cuts& cuts, const hlo::Module& module)
        : of(module.instructions.size(), -1), cuts_(cuts), module_(module) {}
    const Leaf* leaf(hlo::InstructionId instruction, uint32_t part) override;
    std::vector<int32_t> of;  // cut of each instruction, or -1
    // The first that is written like it: one that is in no pair goes by its twin's cut.
    hlo::InstructionId twin(hlo::InstructionId instruction);

   private:
    Cuts& cuts_;
    const hlo::Module& module_;
    std::vector<hlo::InstructionId> twins_;  // empty until asked for: most modules never ask
  };

  const Leaf* leaf_of(int32_t number, uint32_t part);

  const hlo::Module& before_;
  const hlo::Module& after_;
  Facts& facts_;
  StartMarks before_marks_;
  StartMarks after_marks_;
  std::vector<Cut> cuts_;
  std::vector<int32_t> met_;
  std::vector<int32_t> opened_;
  std::vector<bool> is_met_;
  SideView before_side_;
  SideView after_side_;
};

}  // namespace flipsat::verify
