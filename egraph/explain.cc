#include "egraph/explain.h"

#include <algorithm>
#include <stdexcept>

#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "egraph/query.h"
#include "egraph/union_forest.h"

namespace flipsat::egraph {
namespace {

using Link = ExplanationLink;

}  // namespace

class Explainer::State {
 public:
  State(const EGraph& graph, const RuleSet& rules)
      : graph_(graph),
        history_(graph.history()),
        rules_(rules),
        forest_(graph.unions(), graph.node_bound()),
        queries_(rules.size()) {}

  Explanation explain(NodeId a, NodeId b) {
    reset();
    prove(a, b);
    finish();
    return std::move(result_);
  }

  Explanation explain(const TermPool& terms, TermId a, TermId b) {
    reset();
    copies_.assign(terms.size(), kNoId);
    // The answer comes first, its chain is known last.
    result_.proofs.push_back({copy(terms, a), copy(terms, b), {}});
    std::vector<NodeId> node_of(std::max(a, b) + 1, kNoId);
    std::vector<uint32_t> step_of(std::max(a, b) + 1, kNoId);  // from the term to the node's
    for (const TermId end : {a, b}) locate(terms, end, node_of, step_of);
    std::vector<Link> links;
    add_step_link(links, step_of[a], false);
    add_proof_link(links, equal(node_of[a], node_of[b]));
    add_step_link(links, step_of[b], true);
    result_.proofs[0].links = std::move(links);
    finish();
    return std::move(result_);
  }

 private:
  void reset() {
    result_ = Explanation();
    proof_of_.clear();
    chains_.clear();
    term_of_.assign(graph_.node_bound(), kNoId);
    waiting_.clear();
  }

  // ---- terms ----
  // As the node was written; its children are older nodes, so that this ends.
  TermId term(NodeId node) {
    std::vector<NodeId> stack{node};
    while (!stack.empty()) {
      const NodeId top = stack.back();
      if (term_of_[top] != kNoId) {
        stack.pop_back();
        continue;
      }
      std::vector<TermId> children;
      bool is_complete = true;
      for (const NodeId child : history_.written(top)) {
        if (term_of_[child] == kNoId) {
          stack.push_back(child);
          is_complete = false;
        } else if (is_complete) {
          children.push_back(term_of_[child]);
        }
      }
      if (!is_complete) continue;
      term_of_[top] = result_.terms.add(graph_.op(top), children);
      stack.pop_back();
    }
    return term_of_[node];
  }

  TermId copy(const TermPool& terms, TermId wanted) {
    std::vector<TermId> children;
    std::vector<TermId> stack{wanted};
    while (!stack.empty()) {
      const TermId top = stack.back();
      children.clear();
      const size_t before = stack.size();
      for (const TermId child : terms.children(top)) {
        if (copies_[child] == kNoId) stack.push_back(child);
        children.push_back(copies_[child]);
      }
      if (stack.size() > before) continue;
      copies_[top] = result_.terms.add(terms.op(top), children);
      stack.pop_back();
    }
    return copies_[wanted];
  }

  // Finds the node for each part of a term, and the congruence step to the node's own term.
  void locate(const TermPool& terms, TermId wanted, std::vector<NodeId>& node_of,
              std::vector<uint32_t>& step_of) {
    std::vector<TermId> stack{wanted};
    while (!stack.empty()) {
      const TermId top = stack.back();
      if (node_of[top] != kNoId) {
        stack.pop_back();
        continue;
      }
      const size_t before = stack.size();
      std::vector<ClassId> classes;
      for (const TermId child : terms.children(top)) {
        if (node_of[child] == kNoId) {
          stack.push_back(child);
        } else {
          classes.push_back(graph_.find(node_of[child]));
        }
      }
      if (stack.size() > before) continue;
      stack.pop_back();
      node_of[top] = graph_.find_node(terms.op(top), classes);
      if (node_of[top] == kNoId) throw std::invalid_argument("a term is not in the e-graph");
      std::vector<Part> parts;
      for (const TermId child : terms.children(top)) {
        parts.push_back({copy(terms, child), step_of[child], node_of[child]});
      }
      step_of[top] = congruence_up(terms.op(top), parts, node_of[top]);
    }
  }

  // ---- proofs ----
  // The number of the proof that the terms of two equal nodes are equal; its chain follows in
  // `finish`.
  uint32_t prove(NodeId a, NodeId b) {
    const auto [it, is_new] =
        proof_of_.try_emplace({a, b}, static_cast<uint32_t>(result_.proofs.size()));
    if (!is_new) return it->second;
    const uint32_t proof = it->second;
    result_.proofs.push_back({term(a), term(b), {}});
    waiting_.push_back({proof, a, b});
    return proof;
  }
  // In either direction.
  ProofRef equal(NodeId a, NodeId b) {
    if (term(a) == term(b)) return {};
    const auto reverse = proof_of_.find({b, a});
    if (reverse != proof_of_.end()) return {reverse->second, true};
    return {prove(a, b), false};
  }

  void finish() {
    while (!waiting_.empty()) {
      const Waiting next = waiting_.back();
      waiting_.pop_back();
      const auto way = forest_.way(next.a, next.b);
      if (!way) throw std::logic_error("two terms are not equal: there is nothing to explain");
      std::vector<Link> links;
      for (const UnionForest::Hop& hop : *way) append(links, chain(hop.edge), hop.is_reversed);
      result_.proofs[next.proof].links = std::move(links);
    }
  }

  static void append(std::vector<Link>& to, const std::vector<Link>& chain, bool is_reversed) {
    if (!is_reversed) {
      to.insert(to.end(), chain.begin(), chain.end());
      return;
    }
    for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
      to.push_back({link->index, !link->is_reversed, link->is_proof});
    }
  }

  // Nothing where the two ends are one term.
  static void add_step_link(std::vector<Link>& links, uint32_t step, bool is_reversed) {
    if (step != kNoId) links.push_back({step, is_reversed, false});
  }
  static void add_proof_link(std::vector<Link>& links, const ProofRef& proof) {
    if (proof.proof != kNoId) links.push_back({proof.proof, proof.is_reversed, true});
  }

  uint32_t add_step(ExplanationStep step) {
    result_.steps.push_back(std::move(step));
    return static_cast<uint32_t>(result_.steps.size() - 1);
  }

  // ---- edges ----
  // Steps from the term of a union's first node to that of its second.
  const std::vector<Link>& chain(uint32_t edge) {
    const auto [it, is_new] = chains_.try_emplace(edge);
    if (is_new) {
      std::vector<Link> links = make_chain(history_.unions[edge], edge);
      chains_[edge] = std::move(links);
    }
    return chains_[edge];
  }

  std::vector<Link> make_chain(const Union& made, uint32_t edge) {
    std::vector<Link> links;
    if (made.reason == kCongruence) {
      add_step_link(links, congruence(made.a, made.b, edge), false);
    } else if (made.match != kNoId) {
      rule_chain(made, links);
    } else {
      ExplanationStep step;
      step.from = term(made.a);
      step.to = term(made.b);
      step.reason = made.reason;
      if (step.from != step.to) add_step_link(links, add_step(std::move(step)), false);
    }
    return links;
  }

  // Of two nodes that were found to have equal children when `edge` was made; kNoId if they were
  // written alike.
  uint32_t congruence(NodeId a, NodeId b, uint32_t edge) {
    if (term(a) == term(b)) return kNoId;
    ExplanationStep step;
    step.kind = ExplanationStep::Kind::kCongruence;
    step.from = term(a);
    step.to = term(b);
    const std::span<const uint32_t> of_a = history_.written(a), of_b = history_.written(b);
    std::vector<bool> is_taken(of_b.size());
    for (uint32_t i = 0; i < of_a.size(); ++i) {
      uint32_t j = i;
      if (graph_.is_unordered(graph_.kind(a))) {
        for (j = 0; j < of_b.size(); ++j) {
          if (!is_taken[j] && were_equal(of_a[i], of_b[j], edge)) break;
        }
      }
      is_taken.at(j) = true;
      const ProofRef proof = equal(of_a[i], of_b[j]);
      if (proof.proof != kNoId || i != j) step.children.push_back({i, j, proof});
    }
    return add_step(std::move(step));
  }

  // Before that edge.
  bool were_equal(NodeId a, NodeId b, uint32_t edge) const {
    const auto way = forest_.way(a, b);
    if (!way) return false;
    return std::ranges::all_of(*way, [&](const UnionForest::Hop& hop) { return hop.edge < edge; });
  }

  // A term, a step from it to the term of a node (kNoId where they are the same), and the node.
  struct Part {
    TermId term;
    uint32_t step;
    NodeId node;
  };

  // The step from a term of these parts to the term of a node whose children are equal to them.
  uint32_t congruence_up(OperatorId op, const std::vector<Part>& parts, NodeId node) {
    std::vector<TermId> children;
    for (const Part& part : parts) children.push_back(part.term);
    ExplanationStep step;
    step.kind = ExplanationStep::Kind::kCongruence;
    step.from = result_.terms.add(op, children);
    step.to = term(node);
    if (step.from == step.to) return kNoId;
    const std::span<const uint32_t> written = history_.written(node);
    std::vector<bool> is_taken(written.size());
    for (uint32_t i = 0; i < parts.size(); ++i) {
      uint32_t j = i;
      if (graph_.is_unordered(graph_.kind(node))) {
        for (j = 0; j < written.size(); ++j) {
          if (!is_taken[j] && graph_.find(written[j]) == graph_.find(parts[i].node)) break;
        }
      }
      is_taken.at(j) = true;
      const ProofRef proof = from_part(parts[i], written[j]);
      if (proof.proof != kNoId || i != j) step.children.push_back({i, j, proof});
    }
    return add_step(std::move(step));
  }

  // That a part's term is equal to the term of a node that is equal to the part's.
  ProofRef from_part(const Part& part, NodeId node) {
    if (part.term == term(node)) return {};
    if (part.step == kNoId) return equal(part.node, node);
    std::vector<Link> links;
    add_step_link(links, part.step, false);
    add_proof_link(links, equal(part.node, node));
    result_.proofs.push_back({part.term, term(node), std::move(links)});
    return {static_cast<uint32_t>(result_.proofs.size() - 1), false};
  }

  // ---- rules ----
  // A match as it was written down: a row, the nodes of the patterns, the nodes of the right side.
  struct Match {
    const Rule& rule;
    const Query& query;
    const uint32_t* row;
    const uint32_t* atoms;
    const uint32_t* made;

    NodeId of(ClassVar variable) const { return row[query.layout.column(variable)]; }
    NodeId of(OpVar variable) const { return row[query.layout.column(variable)]; }
  };

  // Nodes that a rule's right side writes down, which are all but its root.
  static size_t count_nodes(const Rule& rule) {
    size_t nodes = 0;
    std::vector<const Pattern*> stack;
    for (const Pattern& pattern : rule.term()) stack.push_back(&pattern);
    while (!stack.empty()) {
      const Pattern* top = stack.back();
      stack.pop_back();
      if (top->form != Pattern::Form::kVariable) ++nodes;
      for (const Pattern& child : top->children) stack.push_back(&child);
    }
    return nodes == 0 ? 0 : nodes - 1;
  }

  Match match_of(const Union& made) {
    if (made.reason >= rules_.size()) {
      throw std::logic_error("explain: the rules are not those of the e-graph's history");
    }
    std::unique_ptr<Query>& query = queries_[made.reason];
    if (query == nullptr) query = std::make_unique<Query>(rules_[made.reason], graph_);
    // A history may come from a file, and the rules from elsewhere.
    const Rule& rule = rules_[made.reason];
    const size_t words = query->layout.width() + query->atoms.size() + count_nodes(rule);
    if (made.match + words > history_.matches.size()) {
      throw std::logic_error("explain: the rules are not those of the e-graph's history");
    }
    const uint32_t* row = history_.matches.data() + made.match;
    const uint32_t* atoms = row + query->layout.width();
    return {rules_[made.reason], *query, row, atoms, atoms + query->atoms.size()};
  }

  // From the class that matched: along the node that matched, to the left side, to the right side,
  // to the node that it became.
  void rule_chain(const Union& made, std::vector<Link>& links) {
    const Match match = match_of(made);
    if (match.rule.term().empty()) return code_chain(made, match, links);
    ExplanationStep step;
    step.kind = ExplanationStep::Kind::kRule;
    step.reason = made.reason;
    for (const std::string_view name : match.query.layout.classes) {
      step.classes.emplace_back(name, term(match.of(ClassVar{name})));
    }
    for (const std::string_view name : match.query.layout.nodes) {
      step.nodes.emplace_back(name, graph_.op(match.of(OpVar{name})));
    }
    uint32_t next_atom = 0;
    const std::vector<Pattern>& patterns = match.rule.patterns();
    const Part left = left_side(patterns.front(), match, next_atom, step);
    for (size_t i = 1; i < patterns.size(); ++i) {
      step.also.push_back(left_side(patterns[i], match, next_atom, step).term);
    }
    uint32_t next_made = 0;
    const Part right = right_side(match.rule.term().front(), match, made.b, next_made);
    step.from = left.term;
    step.to = right.term;

    add_proof_link(links, equal(made.a, left.node));
    add_step_link(links, left.step, true);
    if (step.from != step.to) add_step_link(links, add_step(std::move(step)), false);
    add_step_link(links, right.step, false);
  }

  // The same of a rule whose right side is code: what it made of the left side is taken on trust.
  void code_chain(const Union& made, const Match& match, std::vector<Link>& links) {
    ExplanationStep bound;  // what would be said of a rule that can be replayed
    uint32_t next_atom = 0;
    const Part left = left_side(match.rule.patterns().front(), match, next_atom, bound);
    ExplanationStep step;
    step.reason = made.reason;
    step.from = left.term;
    step.to = term(made.b);
    add_proof_link(links, equal(made.a, left.node));
    add_step_link(links, left.step, true);
    if (step.from != step.to) add_step_link(links, add_step(std::move(step)), false);
  }

  Part left_side(const Pattern& pattern, const Match& match, uint32_t& next_atom,
                 ExplanationStep& step) {
    if (pattern.form == Pattern::Form::kVariable) return part_of(match.of(ClassVar{pattern.name}));
    const NodeId node = match.atoms[next_atom++];
    Part part = part_of(node);
    if (pattern.arity != Pattern::kAnyArity) {
      std::vector<Part> children;
      for (const Pattern& child : pattern.children) {
        children.push_back(left_side(child, match, next_atom, step));
      }
      part = part_above(graph_.op(node), children, node);
    }
    if (!pattern.class_name.empty()) {
      step.premises.push_back(from_part(part, match.of(ClassVar{pattern.class_name})));
    }
    return part;
  }

  Part right_side(const Pattern& pattern, const Match& match, NodeId root, uint32_t& next_made) {
    if (pattern.form == Pattern::Form::kVariable) return part_of(match.of(ClassVar{pattern.name}));
    std::vector<Part> children;
    for (const Pattern& child : pattern.children) {
      children.push_back(right_side(child, match, kNoId, next_made));
    }
    const NodeId node = root != kNoId ? root : match.made[next_made++];
    const OperatorId op = pattern.form == Pattern::Form::kBound
                              ? graph_.op(match.of(OpVar{pattern.name}))
                              : pattern.op;
    return part_above(op, children, node);
  }

  Part part_of(NodeId node) { return {term(node), kNoId, node}; }
  Part part_above(OperatorId op, const std::vector<Part>& children, NodeId node) {
    std::vector<TermId> terms;
    for (const Part& child : children) terms.push_back(child.term);
    return {result_.terms.add(op, terms), congruence_up(op, children, node), node};
  }

  struct Waiting {
    uint32_t proof;
    NodeId a;
    NodeId b;
  };
  const EGraph& graph_;
  const History& history_;
  const RuleSet& rules_;
  UnionForest forest_;
  std::vector<std::unique_ptr<Query>> queries_;

  Explanation result_;
  std::vector<TermId> term_of_;  // by node
  std::vector<TermId> copies_;   // by term of the caller's pool
  boost::unordered_flat_map<std::pair<NodeId, NodeId>, uint32_t,
                            boost::hash<std::pair<NodeId, NodeId>>>
      proof_of_;
  boost::unordered_flat_map<uint32_t, std::vector<Link>> chains_;  // by edge
  std::vector<Waiting> waiting_;
};

Explainer::Explainer(const EGraph& graph, const RuleSet& rules) {
  if (!graph.history().is_kept) throw std::logic_error("explain: the e-graph keeps no history");
  if (!graph.is_rebuilt()) throw std::logic_error("explain: the e-graph is not rebuilt");
  state_ = std::make_unique<State>(graph, rules);
}
Explainer::~Explainer() = default;

Explanation Explainer::explain(NodeId a, NodeId b) { return state_->explain(a, b); }
Explanation Explainer::explain(const TermPool& terms, TermId a, TermId b) {
  return state_->explain(terms, a, b);
}

}  // namespace flipsat::egraph
