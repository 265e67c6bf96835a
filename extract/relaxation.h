// The programs that an e-graph holds as an additive extraction problem that never costs more than
// they do: its optimum is a bound on all of them, and a good program to start from.
//
// What a group of collectives costs is taken apart. A launch takes at least fixed + slope * bytes
// (launch_line.h), so bytes are paid by each collective, and the fixed part once a launch, by a
// class of one node that all who need the launch share. How many launches there are at least is
// said in one of two ways:
//
//   by key    A collective below which every program has d - 1 others of its key, one above the
//             other, stands for d launches. Of L launches, m of them one above the other, the L - m
//             others can be thought merged into the first, which takes no more time, because a
//             launch of all bytes takes no longer than two of a part each; then each of the m is
//             above its line.
//   by path   Where collectives of several keys can stand for one another, as an all-reduce for a
//             reduce-scatter and a gather: launches one above the other follow one another, so a
//             program takes at least as long as what it has on any one path. A collective needs all
//             that the cheapest program would have below it.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "egraph/dag/problem.h"
#include "extract/launch_line.h"
#include "extract/moves.h"
#include "extract/saturating.h"

namespace flipsat::extract {

class Relaxation {
 public:
  // `state` holds the program near which the bound should be tight.
  Relaxation(Problem& problem, ProgramState& state, const std::set<ClassId>& given_up);

  // Nullopt where no bound is known: a launch time that cannot be taken apart, or costs whose sum
  // does not fit.
  const std::optional<egraph::dag::Problem>& problem() const { return flat_; }
  // What every program costs in regions that leave no choice; comes on top of the problem's cost.
  int64_t fixed() const { return fixed_; }

  // The selection that makes a program, and the other way round.
  egraph::dag::Selection selection_of(const ProgramState& program) const;
  Choices program_of(const egraph::dag::Selection& selection) const;

 private:
  // Of a problem that is being made.
  struct Node {
    int64_t cost = 0;
    std::vector<uint32_t> children;
  };
  using Key = std::tuple<hlo::ComputationId, uint8_t, uint32_t>;
  struct Group {
    std::vector<uint32_t> members;  // classes of units
    std::vector<Unit> units;
    int64_t bytes = 0;
    int64_t least_bytes = kSaturated;
    size_t family = 0;  // groups whose collectives can stand for one another
  };

  bool is_choice(ClassId cls);
  std::set<hlo::ComputationId> regions_with_choices();
  uint32_t add_class();
  std::optional<egraph::dag::Problem> flattened();
  uint32_t class_of_unit(Unit unit);
  uint32_t class_of_original(Unit original);
  uint32_t class_of_choice(ClassId cls);
  uint32_t class_of(const Problem::Reference& reference);
  void fill();
  std::vector<uint32_t> find_order() const;
  void find_families();
  void find_users();
  std::vector<bool> forced() const;
  std::vector<int64_t> heights(const std::map<uint32_t, int64_t>& weights) const;
  bool price_groups();
  bool price_by_key(const Key& key, const Group& group, const std::vector<bool>& is_forced);
  bool price_by_path(const std::vector<std::pair<const Key, Group>*>& family);
  int64_t times(Unit unit) const;

  Problem& problem_;
  ProgramState& state_;
  const std::set<ClassId>& given_up_;
  std::vector<std::vector<Node>> classes_;  // nodes by class
  std::vector<uint32_t> roots_;
  std::vector<uint32_t> first_user_, users_;  // nodes by the classes that they need
  std::vector<uint32_t> class_of_node_, children_of_node_;
  std::optional<egraph::dag::Problem> flat_;
  std::vector<uint32_t> flat_class_;  // of a class above; kNoId where no root needs it
  int64_t fixed_ = 0;
  std::map<Unit, uint32_t> of_unit_, of_original_;
  std::map<ClassId, uint32_t> of_choice_;
  std::vector<std::pair<uint32_t, Unit>> open_units_;
  std::vector<std::pair<uint32_t, ClassId>> open_choices_;
  std::map<ClassId, bool> is_choice_;
  std::map<Key, Group> groups_;
  std::map<ClassId, std::vector<NodeId>> options_;  // of the classes of choices
};

}  // namespace flipsat::extract
