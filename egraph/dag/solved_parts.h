// Parts of extraction problems that were solved before. What is found for a part is a function of
// the part and of the work that it may take, so whoever meets it again, in a later round or in
// another problem, gets the same answer without the work.
//
// Threads may share one.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "egraph/dag/problem.h"

namespace flipsat::egraph::dag {

struct SolvedPart {
  Selection selection;  // builds all roots
  Cost cost = 0;
  Cost bound = 0;
  uint64_t work = 0;  // that it took
};

class SolvedParts {
 public:
  // Keeps no more than about so many bytes: what comes later is not kept.
  explicit SolvedParts(size_t most_bytes = size_t{64} << 20) : most_bytes_(most_bytes) {}

  // A part as text: all that decides its answer. `limits`: of the work.
  static std::string key(const Problem& part, std::span<const uint64_t> limits);

  std::optional<SolvedPart> find(const std::string& key);
  void keep(std::string key, const SolvedPart& answer);

  // How often `find` found something, and the work that was saved so.
  uint64_t found() const { return found_; }
  uint64_t saved_work() const { return saved_work_; }

 private:
  const size_t most_bytes_;
  std::mutex mutex_;
  std::unordered_map<std::string, SolvedPart> parts_;
  size_t bytes_ = 0;
  uint64_t found_ = 0, saved_work_ = 0;
};

}  // namespace flipsat::egraph::dag
