#include "egraph/io/explanation_text.h"

#include <algorithm>

#include "egraph/io/print.h"

namespace flipsat::egraph {
namespace {

using Kind = ExplanationStep::Kind;

// Writes whole terms for steps that happen somewhere inside.
class Flattener {
 public:
  Flattener(const Explanation& explanation, size_t max_steps)
      : explanation_(explanation), max_steps_(max_steps) {}

  std::optional<FlatExplanation> run() {
    flat_.terms = explanation_.terms;
    flat_.start = explanation_.proofs[0].from;
    follow(explanation_.chain());
    if (!fits_) return std::nullopt;
    return std::move(flat_);
  }

 private:
  // The place where steps happen: the terms around it, outermost first.
  struct Around {
    OperatorId op;
    std::vector<TermId> children;
    size_t position;
  };

  void follow(const std::vector<ExplanationLink>& links) {
    for (const ExplanationLink& link : links) {
      if (!fits_) return;
      if (link.is_proof) {
        follow_proof({link.index, link.is_reversed});
      } else {
        follow_step(explanation_.steps[link.index], link.is_reversed);
      }
    }
  }

  void follow_proof(const ProofRef& ref) {
    const std::vector<ExplanationLink>& links = explanation_.proofs[ref.proof].links;
    if (!ref.is_reversed) {
      follow(links);
      return;
    }
    std::vector<ExplanationLink> backwards(links.rbegin(), links.rend());
    for (ExplanationLink& link : backwards) link.is_reversed ^= true;
    follow(backwards);
  }

  void follow_step(const ExplanationStep& step, bool is_reversed) {
    if (step.kind != Kind::kCongruence) {
      put(is_reversed ? step.from : step.to, step, is_reversed);
      return;
    }
    if (around_.size() >= kMostLevels) {
      fits_ = false;
      return;
    }
    const TermId from = is_reversed ? step.to : step.from;
    const std::span<const TermId> children = flat_.terms.children(from);
    around_.push_back({flat_.terms.op(from), {children.begin(), children.end()}, 0});
    for (const ExplanationStep::Child& child : step.children) {
      if (child.proof.proof == kNoId) continue;
      around_.back().position = is_reversed ? child.to_position : child.from_position;
      follow_proof({child.proof.proof, child.proof.is_reversed != is_reversed});
      if (!fits_) return;
      const ExplanationProof& proof = explanation_.proofs[child.proof.proof];
      const bool backwards = child.proof.is_reversed != is_reversed;
      around_.back().children[around_.back().position] = backwards ? proof.from : proof.to;
    }
    around_.pop_back();
  }

  void put(TermId inner, const ExplanationStep& step, bool is_reversed) {
    if (flat_.steps.size() == max_steps_) {
      fits_ = false;
      return;
    }
    TermId whole = inner;
    for (auto level = around_.rbegin(); level != around_.rend(); ++level) {
      std::vector<TermId> children = level->children;
      children[level->position] = whole;
      whole = flat_.terms.add(level->op, children);
    }
    flat_.steps.push_back({whole, step.reason, step.kind, is_reversed});
  }

  static constexpr size_t kMostLevels = 1000;
  const Explanation& explanation_;
  const size_t max_steps_;
  FlatExplanation flat_;
  std::vector<Around> around_;
  bool fits_ = true;
};

std::string reason_text(Kind kind, Reason reason, bool is_reversed, const RuleSet& rules) {
  const std::string arrow = is_reversed && kind == Kind::kRule ? "<- " : "";
  if (reason == kAnalysis) return "by analysis";
  if (reason == kNoReason) return "given";
  if (reason < rules.size()) return "by " + arrow + rules[reason].name();
  return "given (" + std::to_string(reason) + ")";
}

std::string flat_text(const FlatExplanation& flat, const RuleSet& rules,
                      const OperatorNames& names) {
  std::vector<std::string> terms{to_string(flat.terms, flat.start, names)};
  size_t width = 0;
  for (const FlatStep& step : flat.steps) {
    terms.push_back(to_string(flat.terms, step.term, names));
    width = std::max(width, std::min<size_t>(terms.back().size(), 60));
  }
  std::string text = terms[0] + '\n';
  for (size_t i = 0; i < flat.steps.size(); ++i) {
    const FlatStep& step = flat.steps[i];
    std::string line = "= " + terms[i + 1];
    if (line.size() < width + 2) line.resize(width + 2, ' ');
    text += line + "   " + reason_text(step.kind, step.reason, step.is_reversed, rules) + '\n';
  }
  return text;
}

std::string proofs_text(const Explanation& explanation, const RuleSet& rules,
                        const OperatorNames& names) {
  const auto term = [&](TermId id) { return to_string(explanation.terms, id, names); };
  std::string text;
  for (size_t i = 0; i < explanation.proofs.size(); ++i) {
    const ExplanationProof& proof = explanation.proofs[i];
    text += "proof " + std::to_string(i) + ": " + term(proof.from) + '\n';
    for (const ExplanationLink& link : proof.links) {
      if (link.is_proof) {
        const ExplanationProof& other = explanation.proofs[link.index];
        text += "  = " + term(link.is_reversed ? other.from : other.to) + "   by proof " +
                std::to_string(link.index) + '\n';
        continue;
      }
      const ExplanationStep& step = explanation.steps[link.index];
      text += "  = " + term(link.is_reversed ? step.from : step.to) + "   ";
      if (step.kind != Kind::kCongruence) {
        text += reason_text(step.kind, step.reason, link.is_reversed, rules) + '\n';
        continue;
      }
      text += "by equal children:";
      for (const ExplanationStep::Child& child : step.children) {
        if (child.proof.proof != kNoId) text += " proof " + std::to_string(child.proof.proof);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace

std::optional<FlatExplanation> flatten(const Explanation& explanation, size_t max_steps) {
  return Flattener(explanation, max_steps).run();
}

OperatorNames operator_names_of(const EGraph& graph, const Symbols& symbols) {
  return [&](OperatorId op) {
    const SymbolId symbol =
        symbols.symbol(graph.operators().kind(op), graph.operators().payload(op));
    return printed_name(std::string(symbols.name(symbol)));
  };
}

std::string to_string(const TermPool& terms, TermId term, const OperatorNames& names,
                      size_t max_nodes) {
  // What is still to be written; kNoId is a closing parenthesis.
  std::vector<TermId> stack{term};
  std::string text;
  size_t nodes = 0;
  while (!stack.empty()) {
    const TermId top = stack.back();
    stack.pop_back();
    if (top == kNoId) {
      text += ')';
      continue;
    }
    if (!text.empty()) text += ' ';
    if (++nodes > max_nodes) {
      text += "...";
      while (!stack.empty() && stack.back() != kNoId) stack.pop_back();
      continue;
    }
    const std::span<const TermId> children = terms.children(top);
    if (!children.empty()) text += '(';
    text += names(terms.op(top));
    if (children.empty()) continue;
    stack.push_back(kNoId);
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
  return text;
}

std::string to_string(const Explanation& explanation, const RuleSet& rules,
                      const OperatorNames& names) {
  const std::optional<FlatExplanation> flat = flatten(explanation);
  return flat ? flat_text(*flat, rules, names) : proofs_text(explanation, rules, names);
}

}  // namespace flipsat::egraph
