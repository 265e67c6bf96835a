// Moves of a local search: other definitions for one class, or for all that keep a collective
// alive.
//
// A move is priced before it is tried by what it changes: the definitions that it adds and those
// that nobody needs any more. What launches it saves depends on the rest of the program, so the
// price here is the most that it could gain; only what could gain at all is tried. What it is
// likely to gain, with launches shared as the combiner shares them now, says what to try first.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "extract/program_state.h"

namespace flipsat::extract {

using Choices = std::vector<std::pair<ClassId, NodeId>>;

struct Move {
  ClassId at = egraph::kNoId;  // the first class that it redefines
  Choices choices;
  int64_t best_gain = 0;    // in the objective's unit; positive
  int64_t likely_gain = 0;  // if the rest is combined as it is now
  std::string kind;         // equal for moves that turn the same keys into the same keys
  std::string signature;    // equal for moves that also add and remove the same shapes
};

class MoveFinder {
 public:
  // No move redefines a class of `given_up`.
  MoveFinder(Problem& problem, ProgramState& state, std::set<ClassId> given_up);

  // Every move that could gain from the present state, in order of class.
  std::vector<Move> find();
  // Takes in the present state; `find` does so, too.
  void look();
  // Of all the choices made at once, kNoId for a class that is taken back, as of the last look.
  int64_t likely_gain(const Choices& choices) { return likely_gain(effect(choices)); }
  // Is the program likely to cost less, or as much with other definitions?
  bool is_likely_to_pay(const Choices& choices);

  // One class of the program defined otherwise, with all that this needs, or taken back; whether it
  // pays or not.
  struct Neighbour {
    Choices choices;
    int64_t likely_gain = 0;  // in the objective's unit
  };
  std::vector<Neighbour> neighbours();

  // For each class that is as the input has it, the best of its alternatives, whether it pays or
  // not. For the report.
  struct Alternative {
    ClassId cls = egraph::kNoId;
    NodeId node = egraph::kNoId;
    Choices choices;
    Picoseconds removed = 0;  // the most time that it could save
    int64_t likely_gain = 0;  // in the objective's unit
  };
  std::vector<Alternative> alternatives();

 private:
  struct Effect {
    std::vector<Unit> added, removed;
    int64_t gain = 0;  // the most
  };
  // Collectives that are, or would be, launched together.
  struct Batch {
    int64_t bytes = 0;
    int64_t count = 0;
    Unit first = hlo::kNoId;
  };
  // Region, kind and key of a candidate.
  using Key = std::tuple<hlo::ComputationId, uint8_t, uint32_t>;

  int64_t cost_if_added(Unit unit);  // the least that it could cost
  // The most that it could save.
  int64_t cost_if_removed(Unit unit, Objective objective);
  Key key_of(Unit candidate);
  int64_t price(const Key& key, const Batch& batch);
  int64_t likely_gain(const Effect& effect);
  void complete_new_classes();
  bool reads(Unit unit, ClassId cls, int steps);
  bool is_there(ClassId cls);
  bool define(ClassId cls, NodeId node, Choices& choices);
  bool define_well(ClassId cls, Choices& choices);
  bool complete(ClassId cls, NodeId node, Choices& choices);
  bool complete_by(ClassId cls, NodeId node, ClassId below, NodeId by, Choices& choices);
  std::vector<Unit> holders_of(ClassId cls);
  std::vector<Unit> originals_read(ClassId cls);
  Effect effect(const Choices& choices);
  bool makes_a_cycle(const Choices& choices);
  std::vector<NodeId> alternatives_of(ClassId cls);
  std::set<ClassId> classes_of_program();
  std::optional<Move> best_without(ClassId cls, ClassId avoided);
  std::set<ClassId> classes_of_users(Unit unit);
  bool define_without(const std::set<ClassId>& classes, ClassId avoided, Choices& choices);
  bool define_user_without(ClassId user, ClassId collective, bool is_element, Choices& choices);
  void add_joint_moves(std::vector<Move>& moves);
  Move make_move(const Choices& choices, const Effect& effect);
  std::string describe(Unit unit, bool with_shape);

  Problem& problem_;
  ProgramState& state_;
  std::set<ClassId> given_up_;
  std::vector<int64_t> least_;      // by class: the least that a new class costs; 0 with originals
  std::vector<NodeId> least_node_;  // by class
  std::vector<ClassId> path_;       // during one completion: what is being defined, from the top
  int tries_ = 0;
  static constexpr size_t kNone = ~size_t{0};
  // What a unit is to the program; see `in_program`.
  struct Place {
    int64_t users = 0;     // how many, the region's result counted as one
    size_t place = kNone;  // operands before users; kNone where it is not live
    size_t batch = kNone;  // kNone where it is in none
  };
  const Place& in_program(Unit unit) const;
  bool is_live(Unit unit) const { return in_program(unit).place != kNone; }
  std::span<const Unit> users_of(Unit unit) const;

  std::vector<Place> places_;                // by unit
  std::vector<std::vector<Unit>> users_of_;  // by unit
  std::vector<Batch> batches_;
  std::map<Key, size_t> open_batch_;  // the smallest
};

}  // namespace flipsat::extract
