// Who takes part with whom in a random collective, and how that is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random_programs/random.h"

namespace flipsat::random_programs {

struct Mesh {
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t devices() const { return replicas * partitions; }
};

enum class GroupingKind : uint8_t {
  kSum,       // all-reduce: groups may differ in size
  kGather,    // all-gather, reduce-scatter
  kExchange,  // all-to-all: modes by replica or by partition alone
};

struct Grouping {
  std::vector<std::vector<int64_t>> groups;  // device ids, in member order
  int64_t size = 0;                          // members of a group; 0: they differ
  std::string spelling;                      // `{{0,1},{2,3}}`, `[2,2]<=[4]`, `{}`
  bool has_channel = false;
  bool is_global = false;

  bool is_one_group() const { return groups.size() == 1; }
  // The position of every device in its group.
  std::vector<int64_t> positions() const;
};

Grouping random_grouping(Random& random, const Mesh& mesh, GroupingKind kind);

// Pairs over replica ids (no channel) or partition ids.
struct Pairs {
  std::string spelling;
  bool has_channel = false;
};
Pairs random_pairs(Random& random, const Mesh& mesh);

}  // namespace flipsat::random_programs
