#include "optimizer/reasons.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "egraph/io/explanation_text.h"
#include "language/node_text.h"
#include "rules/in_words.h"

namespace flipsat::optimizer {
namespace {

using egraph::kNoId;
using egraph::TermId;
using language::ClassId;
using language::Kind;
using language::NodeId;

constexpr size_t kMostSteps = 200;  // of an explanation written out
constexpr size_t kMostNodes = 60;   // of a term
constexpr size_t kMostFacts = 6;
constexpr size_t kMostValues = 8;  // of one scalar, by device
constexpr int kMostLevels = 200;   // of new definitions above one another

}  // namespace

class Reasons::State {
 public:
  explicit State(const Inspection& inspection)
      : inspection_(inspection),
        graph_(inspection.graph()),
        explainer_(graph_, inspection.program().rule_book().set()) {
    for (NodeId node = 0; node < graph_.node_bound(); ++node) {
      std::vector<TermId> children;
      // As the node was written: its children are older nodes.
      for (NodeId child : graph_.history().written(node)) children.push_back(term_of_[child]);
      term_of_.push_back(pool_.add(graph_.op(node), children));
      node_of_operator_.try_emplace(graph_.op(node), node);
      if (!inspection.written_as(node).empty()) {
        instruction_of_.try_emplace(term_of_.back(), inspection.written_as(node).front());
      }
    }
  }

  Reason of_patch(const language::Patch& patch) {
    expanded_.clear();
    expanded_.insert(patch.at);
    for (hlo::InstructionId id : patch.from) {
      const ClassId cls = inspection_.class_of(id);
      if (cls == kNoId || !language::is_index_arithmetic(inspection_.hlo(), cls)) {
        expanded_.insert(id);
      }
    }
    const language::Import& import = inspection_.program().imported();
    const ClassId cls = inspection_.class_of(patch.at);
    const NodeId to = inspection_.chosen(cls);
    if (to == kNoId) throw std::logic_error("a patch of a value that is as it was");
    const NodeId from = import.node_of[patch.at];
    const TermId end = chosen_term(to, 0);
    const TermId begin = graph_.find(from) == graph_.find(to) ? term_of_[from] : kNoId;
    return tell(from, to, begin, end);
  }

  Reason between(NodeId from, NodeId to) {
    expanded_.clear();
    for (const NodeId end : {from, to}) {
      for (hlo::InstructionId id : inspection_.written_as(end)) expanded_.insert(id);
    }
    const TermId begin = graph_.find(from) == graph_.find(to) ? term_of_[from] : kNoId;
    return tell(from, to, begin, term_of_[to]);
  }

 private:
  // What the output has in the place of a node, down to values of the input.
  TermId chosen_term(NodeId node, int level) {
    if (level > kMostLevels) return term_of_[node];
    std::vector<TermId> children;
    for (ClassId child : graph_.children(node)) {
      const std::vector<hlo::InstructionId>& originals = inspection_.originals(child);
      const NodeId chosen = inspection_.chosen(child);
      if (!originals.empty()) {
        children.push_back(term_of_[inspection_.program().imported().node_of[originals.front()]]);
      } else if (chosen == kNoId) {
        children.push_back(term_of_[graph_.find(child)]);
      } else {
        children.push_back(chosen_term(chosen, level + 1));
      }
    }
    return pool_.add(graph_.op(node), children);
  }

  // `begin`: the term to begin with, where one class has both ends.
  Reason tell(NodeId from, NodeId to, TermId begin, TermId end) {
    Reason reason;
    named_.clear();
    if (begin == kNoId) {
      reason.before = text_in(pool_, term_of_[from]);
      for (const egraph::Edge& edge : edges_between(graph_.find(from), graph_.find(to))) {
        ReasonStep step = step_of(edge.reason);
        step.is_refinement = true;
        begin = term_of_[edge.to];
        step.after = text_in(pool_, begin);
        reason.steps.push_back(std::move(step));
      }
    }
    const egraph::RuleSet& rules = inspection_.program().rule_book().set();
    const egraph::Explanation why = explainer_.explain(pool_, begin, end);
    const egraph::Checked checked = egraph::check_explanation(why, rules, graph_);
    if (!checked.is_right) reason.fault = checked.what;
    if (const auto flat = egraph::flatten(why, kMostSteps)) {
      in_pool_.assign(flat->terms.size(), kNoId);
      if (reason.before.empty()) reason.before = text_in(flat->terms, flat->start);
      TermId before = flat->start;
      for (const egraph::FlatStep& one : flat->steps) {
        ReasonStep step = step_of(one.reason);
        if (step.rule.empty()) step.why = words_for_given(flat->terms, before, one.term);
        step.after = text_in(flat->terms, one.term);
        reason.steps.push_back(std::move(step));
        before = one.term;
      }
    } else {
      reason.is_whole = false;
      if (reason.before.empty()) reason.before = text_in(pool_, begin);
      for (const egraph::ExplanationStep& step : why.steps) {
        if (step.kind != egraph::ExplanationStep::Kind::kCongruence) {
          reason.steps.push_back(step_of(step.reason));
        }
      }
      if (!reason.steps.empty()) reason.steps.back().after = text_in(pool_, end);
    }
    reason.facts = facts();
    return reason;
  }

  ReasonStep step_of(egraph::Reason reason) const {
    ReasonStep step;
    const rules::RuleInfo* rule = inspection_.rule(reason);
    if (rule == nullptr) return step;
    step.rule = rule->name;
    step.equation = rule->equation;
    step.condition = rule->condition;
    step.why = rules::in_words(rule->name);
    return step;
  }

  // What import and the preparation of rules state.
  std::string words_for_given(const egraph::TermPool& terms, TermId a, TermId b) const {
    const auto has = [&](TermId term, Kind kind) { return holds(terms, term, kind); };
    if (has(a, Kind::kSum) != has(b, Kind::kSum)) {
      return "a chain of additions is one sum of all its terms";
    }
    return "an element of a collective of several operands is what a collective of that operand "
           "alone gives";
  }

  bool holds(const egraph::TermPool& terms, TermId term, Kind kind) const {
    std::vector<TermId> stack{term};
    std::set<TermId> seen;
    while (!stack.empty()) {
      const TermId top = stack.back();
      stack.pop_back();
      if (!seen.insert(top).second || seen.size() > 10 * kMostNodes) continue;
      if (operator_of(terms, top).kind == kind) return true;
      for (TermId child : terms.children(top)) stack.push_back(child);
    }
    return false;
  }

  const language::Operator& operator_of(const egraph::TermPool& terms, TermId term) const {
    return inspection_.hlo().op(node_of_operator_.at(terms.op(term)));
  }

  // The way by directed edges, the shortest.
  std::vector<egraph::Edge> edges_between(ClassId from, ClassId to) const {
    std::map<ClassId, egraph::Edge> came_by;
    std::vector<ClassId> reached{from};
    for (size_t i = 0; i < reached.size() && came_by.count(to) == 0; ++i) {
      for (egraph::Edge edge : graph_.edges(reached[i])) {
        edge.from = reached[i];
        edge.to = graph_.find(edge.to);
        if (edge.to == from || !came_by.try_emplace(edge.to, edge).second) continue;
        reached.push_back(edge.to);
      }
    }
    std::vector<egraph::Edge> way;
    for (ClassId at = to; at != from; at = way.back().from) {
      const auto edge = came_by.find(at);
      if (edge == came_by.end()) throw std::logic_error("the nodes are not equal");
      way.push_back(edge->second);
    }
    std::ranges::reverse(way);
    return way;
  }

  // ---- terms as text ----
  std::string text_in(const egraph::TermPool& terms, TermId term) {
    size_t left = kMostNodes;
    return text_of(terms, term, left);
  }

  // The same term in our own pool, where instructions are known by their terms.
  TermId in_our_pool(const egraph::TermPool& terms, TermId wanted) {
    if (&terms == &pool_) return wanted;
    std::vector<TermId> stack{wanted};
    while (!stack.empty()) {
      const TermId top = stack.back();
      const size_t before = stack.size();
      std::vector<TermId> children;
      for (TermId child : terms.children(top)) {
        if (in_pool_[child] == kNoId) stack.push_back(child);
        children.push_back(in_pool_[child]);
      }
      if (stack.size() > before) continue;
      in_pool_[top] = pool_.add(terms.op(top), children);
      stack.pop_back();
    }
    return in_pool_[wanted];
  }

  std::string text_of(const egraph::TermPool& terms, TermId term, size_t& left) {
    const auto found = instruction_of_.find(in_our_pool(terms, term));
    if (found != instruction_of_.end() && expanded_.count(found->second) == 0) {
      named_.insert(found->second);
      return "%" + inspection_.input()[found->second].name;
    }
    if (left == 0) return "...";
    --left;
    // A copy: the pool may grow below.
    const std::vector<TermId> children(terms.children(term).begin(), terms.children(term).end());
    std::vector<std::string> operands;
    for (TermId child : children) operands.push_back(text_of(terms, child, left));
    return language::term_text(inspection_.hlo(), operator_of(terms, term), operands);
  }

  // Of the values that were named since the last chain began.
  std::vector<std::string> facts() const {
    std::vector<std::string> all;
    const language::HloGraph& hlo = inspection_.hlo();
    for (hlo::InstructionId id : named_) {
      if (all.size() == kMostFacts) break;
      const ClassId cls = inspection_.class_of(id);
      const std::string name = "%" + inspection_.input()[id].name;
      if (const std::vector<int64_t>* values = hlo.values(cls); values && values->size() > 1) {
        all.push_back(values_text(name, *values));
      } else if (hlo.equality(cls).is_all_equal() && hlo.counts().devices() > 1 &&
                 hlo.op(graph_.find(cls)).kind != Kind::kConstant) {
        all.push_back(name + " is the same on all devices");
      }
    }
    return all;
  }

  static std::string values_text(const std::string& name, const std::vector<int64_t>& values) {
    if (std::ranges::all_of(values, [&](int64_t value) { return value == values[0]; })) {
      return name + " is " + std::to_string(values[0]) + " on all devices";
    }
    std::string text = name + " is ";
    const size_t shown = std::min(values.size(), kMostValues);
    for (size_t i = 0; i < shown; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
    return text + (shown < values.size() ? ", ..." : "") + " on devices 0, 1, ...";
  }

  const Inspection& inspection_;
  const egraph::EGraph& graph_;
  egraph::Explainer explainer_;
  egraph::TermPool pool_;
  std::vector<TermId> term_of_;                            // by node: as it was written
  std::map<egraph::OperatorId, NodeId> node_of_operator_;  // any
  std::map<TermId, hlo::InstructionId> instruction_of_;
  std::vector<TermId> in_pool_;            // by term of the explanation that is being told
  std::set<hlo::InstructionId> expanded_;  // written out, not named
  std::set<hlo::InstructionId> named_;
};

Reasons::Reasons(const Inspection& inspection) : state_(std::make_unique<State>(inspection)) {}
Reasons::~Reasons() = default;

Reason Reasons::of_patch(const language::Patch& patch) { return state_->of_patch(patch); }
Reason Reasons::between(NodeId from, NodeId to) { return state_->between(from, to); }

}  // namespace flipsat::optimizer
