#include "egraph/dag/branch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "egraph/dag/eliminate.h"
#include "egraph/dag/greedy.h"
#include "egraph/dag/landmarks.h"
#include "egraph/dag/local.h"
#include "egraph/dag/neighbourhoods.h"
#include "egraph/dag/part.h"
#include "egraph/dag/reduce.h"

namespace flipsat::egraph::dag {
namespace {

constexpr Cost kNoCutoff = kNever - 1;
// Of the first local search, for each node and child.
constexpr uint64_t kShortSearch = 1000;
constexpr int kRounds = 48;  // of the long one
constexpr int kDeepest = 2000;
constexpr double kLeastSolverShare = 0.25;  // less is not worth a process

std::vector<bool> set_of(const Problem& problem, const Selection& selection) {
  std::vector<bool> set(problem.node_count());
  for (const Number node : selection) {
    if (node != kNoId) set[node] = true;
  }
  return set;
}

// The class whose nodes, and whose users, take part in most of the bound, in short landmarks.
Number class_to_branch_on(const Problem& problem, const Landmarks& landmarks) {
  std::vector<double> weight(problem.class_count());
  for (const Landmarks::Landmark& landmark : landmarks.all()) {
    const double share =
        static_cast<double>(landmark.cost) / static_cast<double>(landmark.nodes.size());
    for (const Number node : landmark.nodes) weight[problem.owner[node]] += share;
  }
  std::vector<bool> is_needed(problem.class_count());
  for (const Number child : problem.children) is_needed[child] = true;
  for (const Number root : problem.roots) is_needed[root] = false;
  Number best = kNoId;
  for (Number cls = 0; cls < problem.class_count(); ++cls) {
    if (is_needed[cls] && (best == kNoId || weight[cls] > weight[best])) best = cls;
  }
  return best;
}

}  // namespace

BranchAndBound::Answer BranchAndBound::solve(const Problem& problem) {
  return solve(problem, kNoCutoff, 0);
}

BranchAndBound::Answer BranchAndBound::solve_below(const Problem& problem, Cost cutoff,
                                                   uint64_t most_work) {
  most_work_ = work_ + most_work;
  return solve(problem, cutoff, 1);
}

BranchAndBound::Answer BranchAndBound::solve(const Problem& problem, Cost cutoff, int depth) {
  const Reduced reduced = reduce(problem, work_);
  Answer answer;
  answer.cost = answer.bound = reduced.paid;
  if (reduced.paid >= cutoff) return {{}, 0, cutoff};
  std::vector<Part> parts = split(reduced.problem);
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return part.problem.size(); });
  std::vector<Cost> bounds(parts.size());
  if (parts.size() > 1 && depth > 0) {
    for (size_t i = 0; i < parts.size(); ++i) {
      Landmarks landmarks(parts[i].problem);
      landmarks.raise(cutoff);
      bounds[i] = landmarks.bound();
      work_ += landmarks.work();
    }
  }
  Selection whole(reduced.problem.class_count(), kNoId);
  Cost ahead = std::accumulate(bounds.begin(), bounds.end(), Cost{0});
  const uint64_t most_work = most_work_;
  for (size_t i = 0; i < parts.size(); ++i) {
    // `answer` is what is settled, `ahead` bounds what is not.
    if (answer.cost + ahead >= cutoff) return {{}, 0, std::min(answer.bound + ahead, cutoff)};
    ahead -= bounds[i];
    const uint64_t sharing = std::min<uint64_t>(parts.size() - i, 4);
    if (depth == 0) {
      // In round numbers, so that a part that comes again may take as much as before.
      if (work_ < most_work) most_work_ = work_ + std::bit_floor((most_work - work_) / sharing);
      solver_share_ = solver_left_ / static_cast<double>(sharing);
    }
    const Answer part = depth == 0
                            ? solve_whole_part(parts[i].problem)
                            : solve_part(parts[i].problem, cutoff - answer.cost - ahead, depth);
    most_work_ = most_work;
    answer.bound += std::max(part.bound, bounds[i]);
    if (part.selection.empty()) return {{}, 0, std::min(answer.bound + ahead, cutoff)};
    answer.cost += part.cost;
    parts[i].lift(part.selection, whole);
  }
  if (answer.cost >= cutoff) return {{}, 0, std::min(answer.bound, cutoff)};
  answer.selection.assign(problem.class_count(), kNoId);
  reduced.lift(whole, problem, answer.selection);
  return answer;
}

// An answer if the part is thin; else what elimination says of the bound.
std::optional<BranchAndBound::Answer> BranchAndBound::eliminate_part(const Problem& problem,
                                                                     Cost cutoff, uint64_t steps,
                                                                     Cost& bound) {
  const auto thin = eliminate(problem, std::min(steps, left()), work_);
  if (!thin) return std::nullopt;
  if (thin->cost >= cutoff) return Answer{{}, 0, cutoff};
  bound = thin->cost;
  Selection selection = build_from(problem, set_of(problem, thin->selection));
  if (cost_of(problem, selection) != thin->cost) return std::nullopt;  // it goes round in a circle
  return Answer{std::move(selection), thin->cost, thin->cost};
}

BranchAndBound::Answer BranchAndBound::solve_whole_part(const Problem& problem) {
  if (options_.solved == nullptr || options_.solver != nullptr) return solve_new_part(problem);
  const std::array<uint64_t, 4> limits = {left(), options_.elimination_steps,
                                          options_.inner_elimination_steps,
                                          options_.proves ? uint64_t{1} : uint64_t{0}};
  std::string key = SolvedParts::key(problem, limits);
  if (std::optional<SolvedPart> known = options_.solved->find(key)) {
    work_ += known->work;
    return {std::move(known->selection), known->cost, known->bound};
  }
  const uint64_t before = work_;
  Answer answer = solve_new_part(problem);
  options_.solved->keep(std::move(key),
                        {answer.selection, answer.cost, answer.bound, work_ - before});
  return answer;
}

// A part of the whole problem: a good answer first, since all that is proved leans on it. Proving
// is tried early and in earnest at the end.
BranchAndBound::Answer BranchAndBound::solve_new_part(const Problem& problem) {
  Cost bound = 0;
  if (auto thin = eliminate_part(problem, kNoCutoff, options_.elimination_steps, bound)) {
    return std::move(*thin);
  }
  const uint64_t most_work = most_work_;
  const Components components(problem);
  Answer best;
  const Trees trees(problem, components);
  best.selection = choose_greedily(problem, components, trees);
  work_ += 10 * problem.size();
  std::vector<Selection> others;
  const auto search = [&](uint64_t work, int rounds) {
    // Local search wants a node for every class. What is in use needs nothing else, so trees for
    // all others close no circle.
    const std::vector<bool> is_used = classes_in_use(problem, best.selection);
    for (Number cls = 0; cls < problem.class_count(); ++cls) {
      if (!is_used[cls]) best.selection[cls] = trees.selection[cls];
    }
    LocalAnswer found =
        search_locally(problem, components, std::move(best.selection), {work, bound, rounds});
    work_ += found.work;
    best.selection = std::move(found.best);
    best.cost = *cost_of(problem, best.selection);
    others = std::move(found.of_round);
  };
  const auto try_to_prove = [&](uint64_t work) {
    most_work_ = std::min(most_work, work_ + work);
    Answer found = prove(problem, best.cost, bound, 0);
    most_work_ = most_work;
    bound = std::max(bound, found.bound);
    if (found.selection.empty()) return;
    best.selection = std::move(found.selection);
    best.cost = found.cost;
  };
  search(std::min(left() / 20, kShortSearch * problem.size()), 1);
  if (options_.proves) try_to_prove(left() / 5);
  if (bound < best.cost) search(left() * 2 / 5, kRounds);
  if (bound < best.cost) {
    work_ += search_neighbourhoods(problem, best.selection, others, {left() / 2, bound});
    best.cost = *cost_of(problem, best.selection);
  }
  if (bound < best.cost && options_.proves) try_to_prove(left());
  best.bound = std::min(bound, best.cost);
  if (best.bound < best.cost && options_.solver) ask_solver(problem, best);
  return best;
}

void BranchAndBound::ask_solver(const Problem& problem, Answer& best) {
  if (solver_share_ < kLeastSolverShare) return;
  CheckedSolver::Improved found =
      options_.solver->improve({problem, best.selection, best.cost, best.bound, solver_share_});
  solver_left_ -= found.spent;
  best.cost = found.cost;
  best.bound = found.bound;
  if (!found.selection.empty()) best.selection = std::move(found.selection);
}

BranchAndBound::Answer BranchAndBound::solve_part(const Problem& problem, Cost cutoff, int depth) {
  Cost bound = 0;
  if (auto thin = eliminate_part(problem, cutoff, options_.inner_elimination_steps, bound)) {
    return std::move(*thin);
  }
  const Components components(problem);
  Selection selection = choose_greedily(problem, components, Trees(problem, components));
  work_ += 10 * problem.size();
  Answer answer{{}, 0, bound};
  if (const Cost cost = *cost_of(problem, selection); cost < cutoff) {
    answer = {std::move(selection), cost, bound};
    cutoff = cost;
  }
  Answer below = prove(problem, cutoff, bound, depth);
  answer.bound = below.bound;
  if (!below.selection.empty()) {
    answer.selection = std::move(below.selection);
    answer.cost = below.cost;
  }
  return answer;
}

// Looks for what is below the cutoff, by landmarks and branching.
BranchAndBound::Answer BranchAndBound::prove(const Problem& problem, Cost cutoff, Cost bound,
                                             int depth) {
  if (bound >= cutoff) return {{}, 0, cutoff};
  Landmarks landmarks(problem);
  landmarks.raise(cutoff);
  if (depth == 0) {
    landmarks.rebalance(cutoff, 20, 100);
  }
  const bool is_open = landmarks.tighten(cutoff);
  work_ += landmarks.work();
  if (!is_open) return {{}, 0, cutoff};
  Answer answer{{}, 0, std::max(bound, landmarks.bound())};
  if (is_spent() || depth >= kDeepest) return answer;
  std::vector<bool> is_dropped(problem.node_count());
  for (Number node = 0; node < problem.node_count(); ++node) {
    is_dropped[node] = landmarks.is_dropped(node);
  }
  const auto rest = without(problem, is_dropped);
  if (!rest) return {{}, 0, cutoff};
  const Number cls = class_to_branch_on(problem, landmarks);
  const auto place = std::ranges::find(rest->class_of, cls);
  const bool is_much_smaller = rest->problem.size() * 20 < problem.size() * 19;
  const Answer below = is_much_smaller || cls == kNoId || place == rest->class_of.end()
                           ? solve(rest->problem, cutoff, depth + 1)
                           : branch(rest->problem, cutoff, answer.bound,
                                    static_cast<Number>(place - rest->class_of.begin()), depth);
  answer.bound = std::max(answer.bound, below.bound);
  if (!below.selection.empty()) {
    answer.selection.assign(problem.class_count(), kNoId);
    rest->lift(below.selection, answer.selection);
    answer.cost = below.cost;
  }
  return answer;
}

BranchAndBound::Answer BranchAndBound::branch(const Problem& problem, Cost cutoff, Cost bound,
                                              Number cls, int depth) {
  Answer best{{}, 0, cutoff};
  for (const bool use : {true, false}) {
    if (is_spent()) {
      best.bound = std::min(best.bound, bound);
      break;
    }
    Answer found;
    if (use) {
      Problem with = problem;
      with.roots.insert(std::ranges::lower_bound(with.roots, cls), cls);
      found = solve(with, cutoff, depth + 1);
    } else {
      std::vector<bool> is_dropped(problem.node_count());
      for (Number node = 0; node < problem.node_count(); ++node) {
        is_dropped[node] =
            problem.owner[node] == cls || std::ranges::binary_search(problem.needs(node), cls);
      }
      const auto rest = without(problem, is_dropped);
      if (!rest) continue;  // nothing is below the cutoff here
      found = solve(rest->problem, cutoff, depth + 1);
      if (!found.selection.empty()) {
        Selection lifted(problem.class_count(), kNoId);
        rest->lift(found.selection, lifted);
        found.selection = std::move(lifted);
      }
    }
    best.bound = std::min(best.bound, found.bound);
    if (found.selection.empty()) continue;
    cutoff = found.cost;
    best.selection = std::move(found.selection);
    best.cost = found.cost;
    best.bound = std::min(best.bound, best.cost);
  }
  best.bound = std::max(best.bound, bound);
  return best;
}

}  // namespace flipsat::egraph::dag
