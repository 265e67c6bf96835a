// How far to look around a changed value: the nearest values that both modules have.
//
// The neighbourhood of a pair of values is what computes them, back to a border of pairs that are
// taken as equal. Running it on its own says more than running the program around it, where a wrong
// element may end in a mean over millions.
//
// A value of the border that depends on another one must not be given by itself where only one of
// the modules reads either: it is then taken into the neighbourhood. So is one that is
// written twice, and computed inside under the other name. So are definitions that say much and
// cost little: constants, device ids and what is computed from them alone, reshapes, tuples.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "verify/pairing.h"

namespace flipsat::verify {

struct Neighbourhood {
  std::string refused;                     // why there is none; empty where there is one
  std::vector<hlo::InstructionId> border;  // of `before`, in text order
  // Inside it, operands first; the values themselves are last.
  std::vector<hlo::InstructionId> before;
  std::vector<hlo::InstructionId> after;
};

class BorderFinder {
 public:
  BorderFinder(const hlo::Module& before, const hlo::Module& after, const Pairing& pairing);

  Neighbourhood around(hlo::InstructionId before, hlo::InstructionId after);

 private:
  using Ids = std::set<hlo::InstructionId>;
  struct Side {
    Ids inside;
    Ids border;  // ids of `before`
  };

  Side look(hlo::InstructionId from, bool is_before, bool is_pair, const Ids& opened);
  // The instruction of `before` that may stand for a value at the border; kNoId where none may.
  hlo::InstructionId border_of(hlo::InstructionId id, bool is_before, const Ids& opened);
  bool is_transparent(hlo::InstructionId before);
  bool is_closed(hlo::InstructionId before);
  std::optional<hlo::InstructionId> to_open(const Side& before, const Side& after);
  std::optional<hlo::InstructionId> computed_inside(const Side& before, const Side& after) const;
  bool depends(hlo::InstructionId before, const Ids& on) const;
  std::optional<hlo::InstructionId> akin(const Side& before, const Side& after);
  Ids sources(const Ids& of);
  bool comes_before(hlo::InstructionId a, hlo::InstructionId b) const;
  std::vector<hlo::InstructionId> in_order(const hlo::Module& module, const Ids& ids) const;

  const hlo::Module& before_;
  const hlo::Module& after_;
  const Pairing& pairing_;
  std::vector<uint32_t> position_;  // of `before`, in its computation
  std::vector<int8_t> closed_;      // of `before`: unknown -1
  std::vector<hlo::InstructionId> twins_before_, twins_after_;
};

}  // namespace flipsat::verify
