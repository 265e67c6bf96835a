// The checker. It shares nothing with the making of explanations but the plain records, and knows
// patterns, terms and operators only.
#include <algorithm>
#include <optional>

#include "egraph/explain.h"

namespace flipsat::egraph {
namespace {

using Step = ExplanationStep;
using Proof = ExplanationProof;

class Checker {
 public:
  Checker(const Explanation& explanation, const RuleSet& rules, const EGraph& graph)
      : explanation_(explanation), terms_(explanation.terms), rules_(rules), graph_(graph) {}

  Checked run() {
    if (explanation_.proofs.empty()) fail("there is no proof");
    for (uint32_t i = 0; i < explanation_.steps.size() && is_right(); ++i) check_step(i);
    for (uint32_t i = 0; i < explanation_.proofs.size() && is_right(); ++i) check_proof(i);
    if (is_right()) check_well_founded();
    checked_.is_right = is_right();
    return std::move(checked_);
  }

 private:
  bool is_right() const { return checked_.what.empty(); }
  void fail(std::string what) {
    if (is_right()) checked_.what = std::move(what);
  }
  bool is_term(TermId term) const { return term < terms_.size(); }
  std::string step_name(uint32_t step) const { return "step " + std::to_string(step); }

  void check_step(uint32_t index) {
    const Step& step = explanation_.steps[index];
    if (!is_term(step.from) || !is_term(step.to)) return fail(step_name(index) + " has no terms");
    switch (step.kind) {
      case Step::Kind::kGiven:
        checked_.trusted.push_back(index);
        return;
      case Step::Kind::kCongruence:
        return check_congruence(index, step);
      case Step::Kind::kRule:
        return check_rule(index, step);
    }
  }

  // Does the reference lead from one term to another?
  bool leads(const ProofRef& ref, TermId from, TermId to) const {
    if (ref.proof == kNoId) return from == to;
    if (ref.proof >= explanation_.proofs.size()) return false;
    const Proof& proof = explanation_.proofs[ref.proof];
    return ref.is_reversed ? proof.to == from && proof.from == to
                           : proof.from == from && proof.to == to;
  }

  void check_congruence(uint32_t index, const Step& step) {
    const auto from = terms_.children(step.from), to = terms_.children(step.to);
    if (terms_.op(step.from) != terms_.op(step.to) || from.size() != to.size()) {
      return fail(step_name(index) + " is no congruence: the operators differ");
    }
    const bool is_ordered = !graph_.is_unordered(graph_.operators().kind(terms_.op(step.from)));
    std::vector<uint32_t> target(from.size(), kNoId);
    std::vector<bool> is_taken(from.size());
    for (const Step::Child& child : step.children) {
      const uint32_t i = child.from_position, j = child.to_position;
      if (i >= from.size() || j >= from.size() || target[i] != kNoId || is_taken[j]) {
        return fail(step_name(index) + " pairs children that are not there, or one of them twice");
      }
      if (is_ordered && i != j) return fail(step_name(index) + " changes the order of children");
      if (!leads(child.proof, from[i], to[j])) {
        return fail(step_name(index) + " has a child whose proof is of something else");
      }
      target[i] = j;
      is_taken[j] = true;
    }
    for (uint32_t i = 0; i < from.size(); ++i) {
      if (target[i] != kNoId) continue;
      if (is_taken[i] || from[i] != to[i]) {
        return fail(step_name(index) + " has a child that differs and no proof of it");
      }
    }
  }

  // What is met while a left side is compared with a term.
  struct Instance {
    const Step& step;
    std::vector<std::pair<TermId, std::string_view>> named;  // instances that have a class's name
  };

  std::optional<TermId> class_of(const Step& step, std::string_view name) const {
    for (const auto& [key, term] : step.classes) {
      if (key == name && is_term(term)) return term;
    }
    return std::nullopt;
  }
  std::optional<OperatorId> operator_of(const Step& step, std::string_view name) const {
    for (const auto& [key, op] : step.nodes) {
      if (key == name && op < graph_.operators().size()) return op;
    }
    return std::nullopt;
  }

  // Is the term an instance of the left side's pattern?
  bool matches(const Pattern& pattern, TermId term, Instance& instance) const {
    if (pattern.form == Pattern::Form::kVariable) {
      return class_of(instance.step, pattern.name) == term;
    }
    const OperatorId op = terms_.op(term);
    if (pattern.form == Pattern::Form::kExact ? op != pattern.op
                                              : graph_.operators().kind(op) != pattern.kind) {
      return false;
    }
    if (!pattern.name.empty() && operator_of(instance.step, pattern.name) != op) return false;
    const std::span<const TermId> children = terms_.children(term);
    if (pattern.arity != Pattern::kAnyArity) {
      if (children.size() != pattern.children.size()) return false;
      for (size_t i = 0; i < children.size(); ++i) {
        if (!matches(pattern.children[i], children[i], instance)) return false;
      }
    }
    if (!pattern.class_name.empty()) instance.named.emplace_back(term, pattern.class_name);
    return true;
  }

  bool is_instance(const Pattern& pattern, TermId term, const Step& step) const {
    if (pattern.form == Pattern::Form::kVariable) return class_of(step, pattern.name) == term;
    const std::optional<OperatorId> op = pattern.form == Pattern::Form::kBound
                                             ? operator_of(step, pattern.name)
                                             : std::optional<OperatorId>(pattern.op);
    const std::span<const TermId> children = terms_.children(term);
    if (op != terms_.op(term) || children.size() != pattern.children.size()) return false;
    for (size_t i = 0; i < children.size(); ++i) {
      if (!is_instance(pattern.children[i], children[i], step)) return false;
    }
    return true;
  }

  void check_rule(uint32_t index, const Step& step) {
    if (step.reason >= rules_.size()) return fail(step_name(index) + " names no rule");
    const Rule& rule = rules_[step.reason];
    const std::string name = step_name(index) + " (" + rule.name() + ")";
    if (rule.term().empty()) return fail(name + " is of a rule whose right side is code");
    Instance instance{step, {}};
    if (!matches(rule.patterns().front(), step.from, instance)) {
      return fail(name + " does not start from the rule's left side");
    }
    if (step.also.size() + 1 != rule.patterns().size()) {
      return fail(name + " has not one instance for each pattern");
    }
    for (size_t i = 0; i < step.also.size(); ++i) {
      if (!is_term(step.also[i]) || !matches(rule.patterns()[i + 1], step.also[i], instance)) {
        return fail(name + " has no instance of a further pattern");
      }
    }
    if (instance.named.size() != step.premises.size()) {
      return fail(name + " has not one premise for each named class");
    }
    for (size_t i = 0; i < step.premises.size(); ++i) {
      const auto& [term, named] = instance.named[i];
      const std::optional<TermId> stands_for = class_of(step, named);
      if (!stands_for || !leads(step.premises[i], term, *stands_for)) {
        return fail(name + " has a premise whose proof is of something else");
      }
    }
    if (!is_instance(rule.term().front(), step.to, step)) {
      return fail(name + " does not end at the rule's right side");
    }
    if (!rule.guards().empty() || rule.matcher()) checked_.trusted.push_back(index);
  }

  void check_proof(uint32_t index) {
    const Proof& proof = explanation_.proofs[index];
    TermId at = proof.from;
    for (const ExplanationLink& link : proof.links) {
      const size_t bound = link.is_proof ? explanation_.proofs.size() : explanation_.steps.size();
      if (link.index >= bound) return fail("proof " + std::to_string(index) + " has a broken link");
      TermId from = link.is_proof ? explanation_.proofs[link.index].from
                                  : explanation_.steps[link.index].from;
      TermId to =
          link.is_proof ? explanation_.proofs[link.index].to : explanation_.steps[link.index].to;
      if (link.is_reversed) std::swap(from, to);
      if (from != at) return fail("proof " + std::to_string(index) + " has a gap");
      at = to;
    }
    if (at != proof.to || !is_term(at)) {
      fail("proof " + std::to_string(index) + " ends at another term");
    }
  }

  // No proof may need itself: a walk through what each needs, with a stack of its own.
  void check_well_founded() {
    enum : uint8_t { kUnseen, kOpen, kDone };
    std::vector<uint8_t> state(explanation_.proofs.size(), kUnseen);
    std::vector<std::pair<uint32_t, bool>> stack;  // a proof, and whether its needs are done
    for (uint32_t start = 0; start < state.size(); ++start) {
      stack.emplace_back(start, false);
      while (!stack.empty()) {
        const auto [proof, is_done] = stack.back();
        stack.pop_back();
        if (is_done) {
          state[proof] = kDone;
          continue;
        }
        if (state[proof] == kDone) continue;
        if (state[proof] == kOpen) {
          return fail("proof " + std::to_string(proof) + " rests on itself");
        }
        state[proof] = kOpen;
        stack.emplace_back(proof, true);
        for (const uint32_t need : needs_of(proof)) {
          if (state[need] == kOpen) {
            return fail("proof " + std::to_string(need) + " rests on itself");
          }
          if (state[need] == kUnseen) stack.emplace_back(need, false);
        }
      }
    }
  }

  std::vector<uint32_t> needs_of(uint32_t proof) const {
    std::vector<uint32_t> needs;
    const auto add = [&](const ProofRef& ref) {
      if (ref.proof != kNoId) needs.push_back(ref.proof);
    };
    for (const ExplanationLink& link : explanation_.proofs[proof].links) {
      if (link.is_proof) {
        needs.push_back(link.index);
        continue;
      }
      const Step& step = explanation_.steps[link.index];
      for (const Step::Child& child : step.children) add(child.proof);
      for (const ProofRef& premise : step.premises) add(premise);
    }
    std::ranges::sort(needs);
    const auto doubles = std::ranges::unique(needs);
    needs.erase(doubles.begin(), doubles.end());
    return needs;
  }

  const Explanation& explanation_;
  const TermPool& terms_;
  const RuleSet& rules_;
  const EGraph& graph_;
  Checked checked_;
};

}  // namespace

Checked check_explanation(const Explanation& explanation, const RuleSet& rules,
                          const EGraph& graph) {
  return Checker(explanation, rules, graph).run();
}

}  // namespace flipsat::egraph
