// Names that are unique in a module, as XLA makes them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace flipsat::frontends {

// Text may use a name in several computations. XLA renames as it reads, one after the other, and a
// message must have the new names already: a loader refuses what has not.
class UniqueNames {
 public:
  // The name itself where it is free, else `<stem>.<number>` with the smallest free number.
  std::string take(const std::string& name);

 private:
  struct Numbers {
    std::unordered_set<int64_t> used;
    int64_t next = 0;
  };
  std::unordered_map<std::string, Numbers> stems_;
};

}  // namespace flipsat::frontends
