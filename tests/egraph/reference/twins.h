// An engine's e-graph and the reference's, grown by the same calls, and what tells them apart.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/runner.h"
#include "tests/egraph/reference/reference.h"
#include "tests/egraph/reference/rule.h"

namespace flipsat::egraph::reference {

// A match in the reference's canonical names.
struct Row {
  uint32_t rule = 0;
  std::vector<Id> classes;  // the root first
  std::vector<Node> nodes;
  auto operator<=>(const Row&) const = default;
};

class Twins {
 public:
  // The place of a class in both graphs' lists of what was added by hand.
  using Handle = uint32_t;

  explicit Twins(FactsMode mode);
  // The same with `engine` for the engine's graph, which has the same names.
  Twins(const Twins& other, EGraph&& engine);

  Handle add(OperatorId op, const std::vector<Handle>& children,
             const std::optional<Facts>& given = {});
  // False if just one of the two says that the classes were equal already. (Before congruence is
  // restored, what either knows of it is its own affair.)
  bool merge(Handle a, Handle b);
  void add_edge(Handle from, Handle to);
  void rebuild();
  void declare_unordered(Kind kind);

  // The reference's side and the handles, to go back to when the engine does.
  struct Checkpoint;
  Checkpoint checkpoint() const;
  void restore(const Checkpoint& checkpoint);

  Handle handles() const { return static_cast<Handle>(names_.size()); }
  Id naive_name(Handle handle) const { return names_[handle].naive; }
  ClassId engine_name(Handle handle) const { return names_[handle].engine; }

  // The first difference of two rebuilt graphs, in words; empty if there is none. Node and class
  // counts, classes of handles, nodes, parents, look-ups, class data and edges; also the engine's
  // own invariants.
  std::string difference();

  // Rows of matches. Only after `difference` has found none.
  Row row_of(const RecordedMatch& match) const;
  Row row_of(uint32_t rule, const TestRule& shape, const Binding& binding) const;
  Row canonical(Row row) const;

  const FactsMode mode;
  EGraph engine;
  Graph naive;

 private:
  struct Names {
    ClassId engine;
    Id naive;
  };

  std::string pair_classes();
  std::string compare_handles() const;
  std::string compare_class(Id cls) const;
  // In the reference's names.
  Node node_of(NodeId node) const;

  std::vector<Names> names_;
  bool has_merged_ = false;  // since the last rebuild
  std::map<Id, ClassId> engine_of_;
  std::map<ClassId, Id> naive_of_;
};

struct Twins::Checkpoint {
  Graph naive;
  Handle handles;
  bool has_merged;
};

// One run of the engine, with the reference beside it: they are compared after each iteration.
struct SideBySide {
  RunOptions options;
  // The run ends when the graph is larger, so that the reference can follow.
  size_t most_nodes = 60;
  // Called on equal graphs after an iteration; may change both and must leave them rebuilt.
  std::function<void(Twins&)> between;
};
struct SideBySideResult {
  std::string difference;  // empty: none
  StopReason stop;
  uint64_t rows = 0;           // recorded matches that both found
  bool is_comparable = false;  // false: a limit cut an iteration short, which was not compared
};
SideBySideResult run_side_by_side(Twins& twins, const std::vector<TestRule>& rules,
                                  const SideBySide& how);

// One plain iteration: all matches of all rules, then all right-hand sides, then a rebuild.
struct NaiveIteration {
  std::vector<std::pair<uint32_t, Binding>> accepted;  // rules and matches
  std::vector<std::pair<uint32_t, Id>> refused;        // rules and roots
};
NaiveIteration iterate(Graph& graph, const std::vector<TestRule>& rules);

}  // namespace flipsat::egraph::reference
