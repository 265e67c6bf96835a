// Hard limits of a run and the account kept against them.
//
// All but `seconds` are counted in work, so that a run that one of them ends is the same run
// everywhere. `seconds` is a safety net: where it ends a run, the result depends on the machine.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>

namespace flipsat::egraph {

class EGraph;

struct Limits {
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  uint64_t nodes = 1'000'000;  // live nodes; may be passed by the nodes of one right-hand side
  uint64_t classes = kNone;
  uint64_t iterations = 100;  // of the run, or of a phase
  uint64_t matches = kNone;   // found over the whole run, before guards
  // EGraph::bytes, plus the matches waiting to be applied; not none, since a search can find more
  // matches than any memory holds under a limit on nodes alone.
  uint64_t bytes = uint64_t{8} << 30;
  double seconds = std::numeric_limits<double>::infinity();  // from the start of the run or phase

  // Takes the smaller of each.
  void tighten(const Limits& other);
};

enum class Stop : uint8_t {
  kRunning,    // has not stopped
  kSaturated,  // nothing left to do: not a limit
  kNodes,
  kClasses,
  kIterations,
  kMatches,
  kBytes,
  kSeconds,
  kClient,  // the client's own hook said so
};

// Why a run ended, and the limit that it met (0 for those that are no limit).
struct StopReason {
  Stop stop = Stop::kRunning;
  double limit = 0;

  bool operator==(const StopReason&) const = default;
};

// "saturated", "node limit 1000".
std::string to_string(const StopReason& reason);

// The account. Asked often: the cheap questions each time, the clock each 256th (and when told).
class Budget {
 public:
  explicit Budget(const Limits& limits);

  // True when the run must end; from then on always true, and `reason` says why.
  bool spent(const EGraph& graph);
  // The same for a search: `found` more matches, holding `bytes` until they are applied.
  bool spent_on_matches(const EGraph& graph, uint64_t found, uint64_t bytes);
  // So many bytes of matches are applied and gone.
  void release(uint64_t bytes) { match_bytes_ -= std::min(match_bytes_, bytes); }
  // Looks at the clock whatever the count; as `spent` otherwise.
  bool spent_by_the_clock(const EGraph& graph);
  // Ends the run from outside.
  void end(Stop stop, double limit) { stop_at(stop, limit); }

  const StopReason& reason() const { return reason_; }
  bool is_spent() const { return reason_.stop != Stop::kRunning; }
  const Limits& limits() const { return limits_; }
  double seconds() const;  // since construction
  uint64_t matches() const { return matches_; }

  // Books what a part of the run has used. The part ran under the tighter of its own limits and
  // `left`, what was left of this account: if it was stopped by the latter, this account is spent.
  void charge(const Budget& part, const Limits& left);

 private:
  void stop_at(Stop stop, double limit);

  Limits limits_;
  std::chrono::steady_clock::time_point start_;
  uint64_t matches_ = 0;
  uint64_t match_bytes_ = 0;
  uint32_t calls_ = 0;
  StopReason reason_;
};

}  // namespace flipsat::egraph
