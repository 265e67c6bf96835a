// The programs that an e-graph holds as an additive extraction problem that never costs more than
// they do (launch_bounds.h): its optimum is a bound on all of them, and a good program to start
// from.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "egraph/dag/problem.h"
#include "extract/bound/and_or_graph.h"
#include "extract/bound/launch_bounds.h"
#include "extract/moves.h"

namespace flipsat::extract {

class Relaxation {
 public:
  // `state` holds the program near which the bound should be tight.
  Relaxation(Problem& problem, ProgramState& state, const std::set<ClassId>& given_up,
             const LaunchBoundOptions& options = {});

  // Nullopt where no bound is known: a launch time that cannot be taken apart, or costs whose sum
  // does not fit.
  const std::optional<egraph::dag::Problem>& problem() const { return flat_; }
  // What every program costs in regions that leave no choice; comes on top of the problem's cost.
  int64_t fixed() const { return fixed_; }

  // The selection that makes a program, and the other way round.
  egraph::dag::Selection selection_of(const ProgramState& program) const;
  Choices program_of(const egraph::dag::Selection& selection) const;

 private:
  using Class = AndOrGraph::Class;

  bool is_choice(ClassId cls);
  std::set<hlo::ComputationId> regions_with_choices();
  Class class_of_unit(Unit unit);
  Class class_of_original(Unit original);
  Class class_of_choice(ClassId cls);
  Class class_of(const Problem::Reference& reference);
  void fill();
  bool is_priced_by_launch(Unit unit) const;
  AndOrNode node_of(Unit unit);
  std::optional<egraph::dag::Problem> flattened();
  void choose_launches(egraph::dag::Selection& selection) const;
  std::vector<bool> classes_in(const egraph::dag::Selection& selection) const;
  int64_t times(Unit unit) const;

  Problem& problem_;
  const std::set<ClassId>& given_up_;
  AndOrGraph graph_;
  LaunchBounds launches_;
  std::optional<egraph::dag::Problem> flat_;
  std::vector<uint32_t> flat_class_;  // by class of the graph; kNoId where no root needs it
  int64_t fixed_ = 0;
  std::map<Unit, Class> of_unit_, of_original_;
  std::map<ClassId, Class> of_choice_;
  std::vector<std::pair<Class, Unit>> open_units_;
  std::vector<std::pair<Class, ClassId>> open_choices_;
  std::map<ClassId, bool> is_choice_;
  std::map<ClassId, std::vector<NodeId>> options_;  // of the classes of choices
};

}  // namespace flipsat::extract
