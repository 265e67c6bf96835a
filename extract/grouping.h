// The device groups of a module's collectives: each distinct grouping once, with how it spans the
// machine and how the report calls it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "extract/collective.h"
#include "extract/group_span.h"
#include "hlo/devices.h"

namespace flipsat::extract {

struct Grouping {
  // Device ids; the pairs of a permute, source first.
  std::vector<std::vector<int64_t>> groups;
  bool is_pairs = false;
  int64_t largest = 1;           // members of the largest group
  std::vector<GroupSpan> spans;  // on the machine
};

class GroupingTable {
 public:
  GroupingTable(const Machine& machine, const hlo::DeviceCounts& counts)
      : machine_(machine), counts_(counts) {}

  // Number of a collective's grouping. Where the devices are not known, groups are taken as they
  // are written; where none are written, as one group of the size that a gather's or scatter's
  // shapes tell, else of all devices, and of two if there is no telling.
  size_t add(const hlo::Module& module, const Collective& collective);

  const Grouping& operator[](size_t number) const { return groupings_[number]; }
  size_t size() const { return groupings_.size(); }

  // "2x4" for 2 groups of 4, "4x2+1x8" for unequal ones, "8 pairs"; and a letter behind where
  // several groupings have the same form: a, b, ... in the order of their device ids, the first
  // `settled` groupings before the rest. By number.
  std::vector<std::string> names(size_t settled) const;

 private:
  size_t intern(Grouping grouping);

  const Machine& machine_;
  hlo::DeviceCounts counts_;
  std::vector<Grouping> groupings_;
  std::map<std::pair<bool, std::vector<std::vector<int64_t>>>, size_t> by_groups_;
  // What was asked before, by where the groups are written; never walked.
  std::map<std::pair<const hlo::ReplicaGroups*, int>, size_t> seen_;
};

}  // namespace flipsat::extract
