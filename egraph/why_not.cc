#include "egraph/why_not.h"

#include <algorithm>

#include "egraph/query.h"

namespace flipsat::egraph {
namespace {

using What = Miss::What;

class Attempt {
 public:
  Attempt(const EGraph& graph, const Rule& rule)
      : graph_(graph), rule_(rule), query_(rule, graph), row_(query_.layout.width(), kNoId) {}

  Miss run(ClassId root) {
    row_[0] = graph_.find(root);
    todo_.push_back({&rule_.patterns().front(), row_[0], 0, {}});
    if (go_on(1, 0)) best_.what = What::kMatches;
    return best_;
  }

 private:
  // A part of a pattern that is to be found in a class.
  struct Goal {
    const Pattern* pattern;
    ClassId cls;
    uint32_t of;  // which of the rule's patterns
    std::vector<uint32_t> path;
  };

  // True once everything fits. `begun` patterns are begun, `done` parts found.
  bool go_on(uint32_t begun, size_t done) {
    if (todo_.empty()) {
      if (begun == rule_.patterns().size()) return ask(done);
      return begin(begun, done);
    }
    const Goal goal = std::move(todo_.back());
    todo_.pop_back();
    const bool fits = goal.pattern->form == Pattern::Form::kVariable
                          ? bind_and_go_on(goal, goal.pattern->name, begun, done)
                          : try_nodes(goal, begun, done);
    todo_.push_back(goal);
    return fits;
  }

  // Another pattern of the rule: in the class that it names if that is known, else in any.
  bool begin(uint32_t pattern, size_t done) {
    const Pattern& wanted = rule_.patterns()[pattern];
    ClassId known = kNoId;
    if (!wanted.class_name.empty()) known = row_[query_.layout.column(ClassVar{wanted.class_name})];
    bool any = false;
    for (const ClassId cls : known == kNoId ? graph_.classes() : std::vector{known}) {
      if (std::ranges::none_of(graph_.nodes(cls), [&](NodeId n) { return is_of(wanted, n); })) {
        continue;
      }
      any = true;
      todo_.push_back({&wanted, cls, pattern, {}});
      if (go_on(pattern + 1, done)) return true;
      todo_.pop_back();
    }
    if (!any) miss({&wanted, known, pattern, {}}, What::kNoOperator, done);
    return false;
  }

  bool is_of(const Pattern& pattern, NodeId node) const {
    const bool has_operator = pattern.form == Pattern::Form::kExact
                                  ? graph_.op(node) == pattern.op
                                  : graph_.kind(node) == pattern.kind;
    return has_operator && (pattern.arity == Pattern::kAnyArity ||
                            graph_.children(node).size() == pattern.children.size());
  }

  bool try_nodes(const Goal& goal, uint32_t begun, size_t done) {
    const Pattern& pattern = *goal.pattern;
    bool any = false;
    for (const NodeId node : graph_.nodes(goal.cls)) {
      if (!is_of(pattern, node)) continue;
      any = true;
      const size_t before = todo_.size();
      const std::span<const ClassId> children = graph_.children(node);
      // The first child is looked at first.
      for (size_t i = pattern.children.size(); i-- > 0;) {
        Goal child{&pattern.children[i], children[i], goal.of, goal.path};
        child.path.push_back(static_cast<uint32_t>(i));
        todo_.push_back(std::move(child));
      }
      uint32_t* const named =
          pattern.name.empty() ? nullptr : &row_[query_.layout.column(OpVar{pattern.name})];
      if (named != nullptr) *named = node;
      const bool fits = pattern.class_name.empty()
                            ? go_on(begun, done + 1)
                            : bind_and_go_on(goal, pattern.class_name, begun, done + 1);
      if (fits) return true;
      if (named != nullptr) *named = kNoId;
      todo_.resize(before);
    }
    if (!any) miss(goal, What::kNoOperator, done);
    return false;
  }

  bool bind_and_go_on(const Goal& goal, std::string_view name, uint32_t begun, size_t done) {
    uint32_t& bound = row_[query_.layout.column(ClassVar{name})];
    if (bound != kNoId) {
      if (bound == goal.cls) return go_on(begun, done);
      miss(goal, What::kOtherClass, done);
      return false;
    }
    bound = goal.cls;
    if (go_on(begun, done)) return true;
    row_[query_.layout.column(ClassVar{name})] = kNoId;
    return false;
  }

  // Everything is bound: the matcher, then the guards.
  bool ask(size_t done) {
    if (!rule_.matcher()) return ask_guards(done);
    bool any = false, accepted = false;
    const size_t first = query_.class_columns - rule_.follow_variables().size();
    rule_.matcher()(match(), [&](std::span<const ClassId> classes) {
      any = true;
      if (accepted) return;
      std::ranges::copy(classes, row_.begin() + static_cast<ptrdiff_t>(first));
      accepted = ask_guards(done + 1);
    });
    for (size_t i = first; i < query_.class_columns; ++i) row_[i] = kNoId;
    if (!any) miss({&rule_.patterns().front(), row_[0], 0, {}}, What::kMatcher, done);
    return accepted;
  }

  bool ask_guards(size_t done) {
    for (const Rule::GuardAt& guard : rule_.guards()) {
      const Verdict verdict = guard.ask(match());
      if (verdict) continue;
      miss({&rule_.patterns().front(), row_[0], 0, {}}, What::kGuard, done + 1, verdict.reason);
      return false;
    }
    return true;
  }
  Match match() const { return {graph_, query_.layout, row_.data()}; }

  // Keeps the first of those that got farthest.
  void miss(const Goal& goal, What what, size_t done, const char* reason = nullptr) {
    if (has_best_ && done <= best_done_) return;
    has_best_ = true;
    best_done_ = done;
    best_ = {what, goal.of, goal.path, goal.cls, goal.pattern, reason};
  }

  const EGraph& graph_;
  const Rule& rule_;
  const Query query_;
  std::vector<uint32_t> row_;
  std::vector<Goal> todo_;  // the next one last
  Miss best_;
  size_t best_done_ = 0;
  bool has_best_ = false;
};

}  // namespace

Miss why_not(const EGraph& graph, const Rule& rule, ClassId root) {
  return Attempt(graph, rule).run(root);
}

std::string to_string(const Miss& miss) {
  std::string place = miss.cls == kNoId ? "no class" : "class " + std::to_string(miss.cls);
  if (!miss.path.empty()) {
    place += " (";
    for (size_t i = miss.path.size(); i-- > 0;) {
      place += "child " + std::to_string(miss.path[i]) + (i > 0 ? " of " : "");
    }
    place += " of the " + std::string(miss.pattern == 0 ? "root" : "pattern's root") + ")";
  }
  switch (miss.what) {
    case What::kMatches:
      return "it matches";
    case What::kNoOperator:
      return place + " has " + (miss.cls == kNoId ? "a" : "no") +
             " node of the operator that the pattern wants there";
    case What::kOtherClass:
      return place + " is not the class that " + std::string(miss.wanted->name) +
             " stands for elsewhere";
    case What::kGuard:
      return std::string("refused: ") + miss.reason;
    case What::kMatcher:
      return "the rule's matcher found no way to go on";
  }
  return "";
}

}  // namespace flipsat::egraph
