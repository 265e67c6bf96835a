// Collectives of a module as the algebra sees them: who takes part, how they are reduced, and what
// keeps two of them from being combined. Interned: equal ones get one index.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "hlo/devices.h"
#include "hlo/reducer.h"
#include "language/operator.h"

namespace flipsat::language {

struct Collective {
  // Device ids; all-reduces have their members sorted. Null for permutes.
  hlo::DeviceGroupsRef groups;
  std::shared_ptr<const hlo::DevicePairs> pairs;  // permutes: source and target devices
  // All-to-alls and permutes: their channel alone decides what the ids count.
  bool is_exchange = false;
  bool has_channel = false;
  bool use_global_device_ids = false;
  std::optional<hlo::Reducer> reducer;  // all-reduce, reduce-scatter
  std::string steering;                 // frontend_attributes, backend_config as spelled

  int64_t group_size() const { return groups ? groups->group_size() : 0; }
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
  // Another opcode's collective in the place of one, with or without a channel as that; nullopt
  // where no mode can say the groups or pairs, and where attributes steer the one.
  std::optional<CollectiveIndex> as_gather(CollectiveIndex index, const hlo::DeviceGroups& groups);
  std::optional<CollectiveIndex> as_all_to_all(CollectiveIndex index,
                                               const hlo::DeviceGroups& groups);
  std::optional<CollectiveIndex> as_permute(CollectiveIndex index, const hlo::DevicePairs& pairs);
  CollectiveIndex with_reducer(CollectiveIndex index, std::optional<hlo::Reducer> reducer);

  // The replica_groups attribute for a new collective: as the module spells these groups, else a
  // list.
  hlo::Attribute spelling(const Collective& collective, Members members) const;
  hlo::Attribute spelling_of_pairs(const Collective& permute) const;

 private:
  std::optional<CollectiveIndex> as_other(CollectiveIndex index, const hlo::DeviceGroups& groups,
                                          bool is_exchange);
  std::optional<CollectiveIndex> regrouped(Collective changed, const hlo::DeviceGroups& groups);

  using SpellingKey = std::tuple<std::vector<std::vector<int64_t>>, int, Members>;  // groups, mode

  hlo::DeviceCounts counts_;
  std::deque<Collective> collectives_;  // references stay valid as rules add more
  std::map<std::string, CollectiveIndex> index_;
  std::map<SpellingKey, hlo::Attribute> spellings_;
};

}  // namespace flipsat::language
