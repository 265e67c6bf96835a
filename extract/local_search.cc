#include "extract/local_search.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace flipsat::extract {
namespace {

class Search {
 public:
  Search(Problem& problem, ProgramState& state, const SearchOptions& options)
      : problem_(problem),
        state_(state),
        options_(options),
        finder_(problem, state, options.given_up),
        limit_(state.work() + options.work) {}

  SearchResult run() {
    std::optional<StateCost> start = state_.cost();
    assert(start);
    best_ = *start;
    result_.start = *start;
    while (!spent()) {
      if (!improve(true) && !improve(false)) break;
    }
    while (!spent()) {
      if (!take_back()) break;
    }
    drop_unused();
    result_.exhausted = spent();
    result_.best = best_;
    result_.selection = state_.selection();
    return std::move(result_);
  }

 private:
  bool spent() const { return state_.work() > limit_; }

  // Keeps the choices if the program is then better; otherwise all is as before.
  bool try_choices(const Choices& choices) {
    if (choices.empty() || spent()) return false;
    ProgramState::Snapshot before = state_.snapshot(choices);
    for (const auto& [cls, node] : choices) state_.choose(cls, node);
    ++result_.trials;
    std::optional<StateCost> cost = state_.cost();
    if (cost && *cost < best_) {
      best_ = *cost;
      return true;
    }
    state_.restore(before);
    return false;
  }

  static Choices all_of(const std::vector<const Move*>& moves) {
    Choices all;
    std::set<ClassId> seen;
    for (const Move* move : moves) {
      for (const auto& choice : move->choices) {
        if (seen.insert(choice.first).second) all.push_back(choice);
      }
    }
    return all;
  }

  struct Group {
    std::vector<const Move*> moves;
    Choices choices;  // of all of them
    int64_t likely_gain = 0;
  };

  // Moves that share a name, the most promising group first.
  template <class Name>
  std::vector<Group> grouped(const std::vector<const Move*>& moves, Name name) {
    std::map<std::string, Group> by_name;
    for (const Move* move : moves) by_name[name(*move)].moves.push_back(move);
    std::vector<Group> groups;
    for (auto& [key, group] : by_name) {
      group.choices = all_of(group.moves);
      group.likely_gain = group.moves.size() == 1 ? group.moves.front()->likely_gain
                                                  : finder_.likely_gain(group.choices);
      groups.push_back(std::move(group));
    }
    std::ranges::stable_sort(groups, std::greater{}, &Group::likely_gain);
    return groups;
  }

  // Was the move made for a program that is no more?
  bool is_stale(const Move& move) const {
    return std::ranges::any_of(move.choices,
                               [&](const auto& choice) { return redefined_.count(choice.first); });
  }

  bool keep_if_better(const Choices& choices) {
    if (!try_choices(choices)) return false;
    for (const auto& [cls, node] : choices) redefined_.insert(cls);
    return true;
  }

  // Only what is likely to pay, or else only the rest, which caps and the combiner's order may
  // favour after all.
  bool improve(bool is_likely) {
    const std::vector<Move> found = finder_.find();
    std::vector<const Move*> moves;
    for (const Move& move : found) moves.push_back(&move);
    redefined_.clear();
    bool any = false;
    for (const Group& kind : grouped(moves, [](const Move& move) { return move.kind; })) {
      std::vector<const Move*> fresh = kind.moves;
      if (std::erase_if(fresh, [&](const Move* move) { return is_stale(*move); }) == 0 &&
          (kind.likely_gain > 0) == is_likely && keep_if_better(kind.choices)) {
        any = true;
        continue;
      }
      for (const Group& alike : grouped(fresh, [](const Move& move) { return move.signature; })) {
        if (alike.moves.size() < kind.moves.size() && (alike.likely_gain > 0) == is_likely &&
            keep_if_better(alike.choices)) {
          any = true;
          continue;
        }
        if (alike.moves.size() < 2) continue;
        // One by one: what the combiner makes of them may differ, but seldom much.
        int failures = 0;
        for (const Move* move : alike.moves) {
          if ((move->likely_gain > 0) != is_likely || is_stale(*move)) continue;
          if (keep_if_better(move->choices)) {
            any = true;
            failures = 0;
          } else if (++failures == kTriesOfAlike) {
            break;
          }
        }
      }
    }
    return any;
  }

  // Choices for classes that the program no longer asks for.
  void drop_unused() {
    state_.settle();
    for (ClassId cls = 0; cls < problem_.hlo().graph().node_bound(); ++cls) {
      const NodeId node = state_.chosen(cls);
      if (node == egraph::kNoId || state_.is_live(problem_.unit(node))) continue;
      state_.choose(cls, egraph::kNoId);
    }
  }

  // Redefinitions that could as well not be: halves first, so that what all is needed costs little.
  bool take_back() {
    std::vector<ClassId> redefined;
    for (const auto& [cls, originals] : problem_.classes_with_originals()) {
      if (state_.chosen(cls) != egraph::kNoId) redefined.push_back(cls);
    }
    finder_.look();
    return take_back_within(redefined, 0, redefined.size(), kBlocks);
  }

  bool take_back_within(const std::vector<ClassId>& classes, size_t begin, size_t end, int depth) {
    if (begin == end || spent()) return false;
    Choices back;
    for (size_t i = begin; i < end; ++i) back.emplace_back(classes[i], egraph::kNoId);
    if (finder_.is_likely_to_pay(back) && try_choices(back)) {
      finder_.look();
      return true;
    }
    if (end - begin == 1 || depth == 0) return false;
    size_t middle = begin + (end - begin) / 2;
    bool any = take_back_within(classes, begin, middle, depth - 1);
    return take_back_within(classes, middle, end, depth - 1) || any;
  }

  static constexpr int kTriesOfAlike = 3;
  static constexpr int kBlocks = 16;  // levels of halving: single sites up to 65,536 of them

  Problem& problem_;
  ProgramState& state_;
  SearchOptions options_;
  MoveFinder finder_;
  const int64_t limit_;
  SearchResult result_;
  StateCost best_;
  std::set<ClassId> redefined_;  // since moves were found
};

}  // namespace

SearchResult local_search(Problem& problem, ProgramState& state, const SearchOptions& options) {
  return Search(problem, state, options).run();
}

}  // namespace flipsat::extract
