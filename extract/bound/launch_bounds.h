// What launches cost at least, as classes of an AND-OR graph whose selection never costs more than
// the program that it stands for.
//
// A launch takes at least fixed + slope * bytes (launch_line.h), so bytes are paid by each
// collective, and the fixed part once a launch, by a class of one node that all who need the launch
// share. Of launches that nothing keeps apart all but one can be thought merged into that one,
// which takes no more time, because a launch of all bytes takes no longer than two of a part each.
// How many there are at least is said in the way that says most of the program at hand:
//
//   by depth  A collective below which every program has d - 1 others of its key, one above the
//             other, stands for d launches.
//   by part   Collectives of one key in parts of which no two can stand side by side
//             (separation.h) are launched apart; who is in no part needs some launch.
//   by path   Over several keys whose collectives can stand for one another, as an all-reduce for a
//             reduce-scatter and a gather: launches one above the other follow one another, so a
//             program takes at least as long as what it has on any one path. A collective needs all
//             that the cheapest program would have below it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>

#include "extract/bound/and_or_graph.h"
#include "extract/bound/launch_line.h"
#include "extract/bound/separation.h"
#include "extract/program_state.h"

namespace flipsat::extract {

struct LaunchBoundOptions {
  bool with_parts = false;
  // Another program near which it should be tight, as the launches that it has.
  std::vector<std::vector<Unit>> other = {};
  // Collectives to be in a part if possible, besides the program's own.
  std::set<Unit> kept = {};
};

class LaunchBounds {
 public:
  using Class = AndOrGraph::Class;

  LaunchBounds(Problem& problem, ProgramState& state, AndOrGraph& graph,
               const LaunchBoundOptions& options)
      : problem_(problem), state_(state), graph_(graph), options_(options) {}

  // A collective that may be launched together with others, and the class that stands for it.
  void add(Class cls, Unit unit);
  // Adds what launches cost to the graph; tight near the program that the state holds. `values` are
  // the classes at which one collective may stand for another.
  void price(const std::set<Class>& values);

  // Launches that were added with more than one line: a node for each line in `either` and in each
  // of the collectives, in the same order.
  struct Lined {
    std::vector<Class> lines;
    Class either;
    std::vector<Class> collectives;
  };
  const std::vector<Lined>& lined() const { return lined_; }
  // Classes that leave open which of several launches it is, a node each.
  const std::vector<Class>& open_launches() const { return open_launches_; }

 private:
  using Key = std::tuple<hlo::ComputationId, uint8_t, uint32_t>;
  struct Member {
    Class cls = 0;
    Unit unit = hlo::kNoId;
    int64_t bytes = 0;
    int64_t counted_bytes = 0;  // by the combiner, against its limit
    // Of the program at hand and of the other, by number; -1: it does not have it.
    std::array<int64_t, 2> launch = {-1, -1};
  };
  struct Group {
    std::vector<Member> members;
    size_t family = 0;  // groups whose collectives can stand for one another
  };
  using Family = std::vector<const std::pair<const Key, Group>*>;

  // Launches to be, and what each collective pays and needs of them. A launch is on one of several
  // lines (launch_line.h), whichever is cheapest.
  struct Pricing {
    struct Launch {
      std::vector<int64_t> fixed;        // by line
      std::optional<size_t> needs = {};  // an earlier one
      bool is_root = false;              // every program has it
      bool may_be_any = false;
    };
    struct Collective {
      Class cls;
      std::vector<int64_t> moving;   // by line of its launch
      std::optional<size_t> launch;  // nullopt: any of those that may be any
    };
    std::vector<Launch> launches;
    std::vector<Collective> collectives;
  };
  struct Launches {
    std::vector<LaunchLine> lines;
    int64_t at_least = 0;
  };

  void find_families(const std::set<Class>& values);
  void find_live();
  void note_launches(size_t program, std::map<Unit, Member*>& members,
                     const std::vector<std::vector<Unit>>& launches);
  bool is_chained(const std::vector<int64_t>& height, const Family& family) const;
  std::vector<int64_t> heights(const Family& family) const;
  int64_t times(const Key& key) const;
  int64_t rounding() const;  // a difference that is none
  std::optional<Launches> launches_of(const Key& key, const std::vector<const Member*>& members,
                                      int64_t depth) const;
  std::optional<Pricing> by_depth(const Key& key, const Group& group,
                                  const std::vector<int64_t>& depth) const;
  std::optional<Pricing> by_part(const Key& key, const Group& group,
                                 const std::vector<int64_t>& height,
                                 const Separation& separation) const;
  Pricing by_path(const Family& family) const;
  Pricing::Launch launch_on(const std::vector<LaunchLine>& lines, const Key& key,
                            Picoseconds less = 0) const;
  Pricing::Collective collective_on(const Member& member, const std::vector<LaunchLine>& lines,
                                    const Key& key, size_t launch) const;
  int64_t estimate(const Pricing& pricing) const;
  int64_t estimate(const Pricing& pricing, const std::vector<bool>& is_live) const;
  void apply(const Pricing& pricing);

  Problem& problem_;
  ProgramState& state_;
  AndOrGraph& graph_;
  const LaunchBoundOptions options_;
  std::map<Key, Group> groups_;
  std::vector<bool> is_forced_;               // by class
  std::array<std::vector<bool>, 2> is_live_;  // by program and class
  std::optional<Heights> heights_;
  std::vector<Lined> lined_;
  std::vector<Class> open_launches_;
};

}  // namespace flipsat::extract
