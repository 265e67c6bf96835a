// Collectives of a module as the algebra sees them: who takes part, how they are reduced, and what
// keeps two of them from being combined. Interned: equal ones get one index.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "hlo/devices.h"
#include "hlo/reducer.h"
#include "language/operator.h"

namespace flipsat::language {

struct Collective {
  hlo::DeviceGroupsRef groups;  // device ids; all-reduces have their members sorted
  bool has_channel = false;
  bool use_global_device_ids = false;
  std::optional<hlo::Reducer> reducer;  // all-reduce, reduce-scatter
  std::string steering;                 // frontend_attributes, backend_config as spelled

  int64_t group_size() const { return groups->group_size(); }
};

class CollectiveTable {
 public:
  explicit CollectiveTable(hlo::DeviceCounts counts) : counts_(std::move(counts)) {}

  const hlo::DeviceCounts& counts() const { return counts_; }
  CollectiveIndex intern(Collective collective);
  const Collective& operator[](CollectiveIndex index) const { return collectives_[index]; }

  // Remembers how `instruction`, a collective of the module, spells its groups: for every
  // collective, or for those alone that do not care for the order of members.
  enum class Members : uint8_t { kOrdered, kInAnyOrder };
  void remember_spelling(const hlo::Instruction& instruction, const hlo::DeviceGroups& groups,
                         Members members);

  // The same collective over other groups of devices (or another order of members), in a mode that
  // can say them; nullopt where none can.
  std::optional<CollectiveIndex> with_groups(CollectiveIndex index,
                                             const hlo::DeviceGroups& groups);
  CollectiveIndex with_reducer(CollectiveIndex index, std::optional<hlo::Reducer> reducer);

  // The replica_groups attribute for a new collective: as the module spells these groups, else a
  // list.
  hlo::Attribute spelling(const Collective& collective, Members members) const;

 private:
  using SpellingKey = std::tuple<std::vector<std::vector<int64_t>>, int, Members>;  // groups, mode

  hlo::DeviceCounts counts_;
  std::deque<Collective> collectives_;  // references stay valid as rules add more
  std::map<std::string, CollectiveIndex> index_;
  std::map<SpellingKey, hlo::Attribute> spellings_;
};

}  // namespace flipsat::language
