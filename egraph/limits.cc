#include "egraph/limits.h"

#include <algorithm>
#include <cmath>

#include "egraph/egraph.h"

namespace flipsat::egraph {

std::string to_string(const StopReason& reason) {
  const auto limited = [&](const char* what) {
    std::string number = std::to_string(reason.limit);
    if (reason.limit == std::floor(reason.limit)) number.erase(number.find('.'));
    return std::string(what) + " limit " + number;
  };
  switch (reason.stop) {
    case Stop::kRunning:
      return "running";
    case Stop::kSaturated:
      return "saturated";
    case Stop::kNodes:
      return limited("node");
    case Stop::kClasses:
      return limited("class");
    case Stop::kIterations:
      return limited("iteration");
    case Stop::kMatches:
      return limited("match");
    case Stop::kBytes:
      return limited("byte");
    case Stop::kSeconds:
      return limited("time");
    case Stop::kClient:
      return "stopped by the client";
  }
  return "";
}

void Limits::tighten(const Limits& other) {
  nodes = std::min(nodes, other.nodes);
  classes = std::min(classes, other.classes);
  iterations = std::min(iterations, other.iterations);
  matches = std::min(matches, other.matches);
  bytes = std::min(bytes, other.bytes);
  seconds = std::min(seconds, other.seconds);
}

Budget::Budget(const Limits& limits) : limits_(limits), start_(std::chrono::steady_clock::now()) {}

double Budget::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Budget::stop_at(Stop stop, double limit) {
  if (!is_spent()) reason_ = {stop, limit};
}

void Budget::charge(const Budget& part, const Limits& left) {
  matches_ += part.matches_;
  const Limits& used = part.limits_;
  const auto stop_if = [&](bool is_ours, double limit) {
    if (is_ours) stop_at(part.reason_.stop, limit);
  };
  switch (part.reason_.stop) {
    case Stop::kRunning:
    case Stop::kSaturated:
      return;
    case Stop::kClient:
      return stop_if(true, 0);
    case Stop::kNodes:
      return stop_if(left.nodes == used.nodes, static_cast<double>(limits_.nodes));
    case Stop::kClasses:
      return stop_if(left.classes == used.classes, static_cast<double>(limits_.classes));
    case Stop::kIterations:
      return stop_if(left.iterations == used.iterations, static_cast<double>(limits_.iterations));
    case Stop::kMatches:
      return stop_if(left.matches == used.matches, static_cast<double>(limits_.matches));
    case Stop::kBytes:
      return stop_if(left.bytes == used.bytes, static_cast<double>(limits_.bytes));
    case Stop::kSeconds:
      return stop_if(left.seconds == used.seconds, limits_.seconds);
  }
}

bool Budget::spent(const EGraph& graph) {
  if (is_spent()) return true;
  if (graph.node_count() >= limits_.nodes) {
    stop_at(Stop::kNodes, static_cast<double>(limits_.nodes));
  } else if (graph.class_count() >= limits_.classes) {
    stop_at(Stop::kClasses, static_cast<double>(limits_.classes));
  } else if (limits_.bytes != Limits::kNone && graph.bytes() + match_bytes_ >= limits_.bytes) {
    stop_at(Stop::kBytes, static_cast<double>(limits_.bytes));
  } else if (++calls_ % 256 == 0 && seconds() >= limits_.seconds) {
    stop_at(Stop::kSeconds, limits_.seconds);
  }
  return is_spent();
}

bool Budget::spent_by_the_clock(const EGraph& graph) {
  // Giving back what the matches hold takes time too, about so much a byte.
  constexpr double kToRelease = 5e-11;
  const double at_the_end = seconds() + static_cast<double>(match_bytes_) * kToRelease;
  if (!is_spent() && at_the_end >= limits_.seconds) stop_at(Stop::kSeconds, limits_.seconds);
  return spent(graph);
}

bool Budget::spent_on_matches(const EGraph& graph, uint64_t found, uint64_t bytes) {
  matches_ += found;
  match_bytes_ = bytes;
  if (matches_ > limits_.matches) stop_at(Stop::kMatches, static_cast<double>(limits_.matches));
  return spent_by_the_clock(graph);  // a search asks after some thousand steps
}

}  // namespace flipsat::egraph
