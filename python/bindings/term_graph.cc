#include "python/bindings/term_graph.h"

#include <stdexcept>

#include "egraph/explain.h"
#include "egraph/io/explanation_text.h"
#include "egraph/io/graphviz.h"
#include "egraph/io/print.h"
#include "tools/usage_error.h"

namespace flipsat::python {

using namespace egraph;

TermGraph::TermGraph(bool explanations) : explanations_(explanations) {
  if (explanations) graph_.keep_history();
}

void TermGraph::add_rules(const std::string& text, const std::string& file) {
  const std::lock_guard lock(mutex_);
  std::vector<TextRule> more = read_rules(text, file, symbols_, texts_);
  saturator_.reset();
  rules_.reset();
  for (TextRule& rule : more) texts_.push_back(std::move(rule));
}

void TermGraph::add(const std::string& term) {
  const std::lock_guard lock(mutex_);
  add_term(graph_, read(term), symbols_);
}

void TermGraph::unite(const std::string& a, const std::string& b) {
  const std::lock_guard lock(mutex_);
  const TextTerm one = read(a), other = read(b);
  graph_.merge(add_term(graph_, one, symbols_), add_term(graph_, other, symbols_));
  graph_.rebuild();
}

// Rules keep their numbers when more are added, so that what the history says of them stays true.
void TermGraph::compile() {
  if (rules_) return;
  rules_ = std::make_unique<RuleSet>(make_rules(texts_, symbols_, graph_));
}

RunReport TermGraph::run(const RunOptions& options) {
  const std::lock_guard lock(mutex_);
  compile();
  if (!saturator_) saturator_ = std::make_unique<Saturator>(graph_, *rules_);
  return saturator_->run(options);
}

ClassId TermGraph::class_of(const std::string& term) {
  graph_.rebuild();
  const TextTerm read_term = read(term);
  std::vector<ClassId> classes, children;
  for (const TextTerm::Node& node : read_term.nodes) {
    children.clear();
    for (const uint32_t child : read_term.children_of(node)) children.push_back(classes[child]);
    const std::optional<ClassId> found =
        graph_.lookup(symbols_.intern(graph_, node.symbol), children);
    if (!found) {
      throw tools::UsageError("not in the e-graph: " + to_string(read_term, symbols_) +
                              " (add it before the run)");
    }
    classes.push_back(graph_.find(*found));
  }
  return classes.back();
}

bool TermGraph::are_equal(const std::string& a, const std::string& b) {
  const std::lock_guard lock(mutex_);
  return class_of(a) == class_of(b);
}

TermGraph::Extracted TermGraph::extract(const std::string& term, const Costs& costs,
                                        const std::string& method, uint64_t work) {
  const std::lock_guard lock(mutex_);
  const ClassId root = class_of(term);
  const std::vector roots = {root};
  std::vector<Cost> of_symbol;
  for (SymbolId symbol = 0; symbol < symbols_.size(); ++symbol) {
    const auto named = costs.of.find(std::string(symbols_.name(symbol)));
    of_symbol.push_back(named == costs.of.end() ? costs.other : named->second.value_or(kUnusable));
  }
  const CostFunction cost = [&](NodeId node) {
    return of_symbol[symbols_.symbol(graph_.kind(node), graph_.payload(node))];
  };
  Extraction best = extract_tree(graph_, cost);
  if (!best.has(root)) throw tools::UsageError("every term has a part that is never chosen");
  SearchOptions options;
  options.most_work = work;
  Extracted result;
  if (method == "greedy-dag") best = extract_greedy_dag(graph_, roots, cost);
  if (method == "local") best = extract_local(graph_, roots, cost, options);
  if (method == "exact") {
    BoundedExtraction exact = extract_exact(graph_, roots, cost, options);
    best = std::move(exact.extraction);
    result.bound = exact.bound;
  }
  result.term = term_text(graph_, best, root, names_of(graph_, symbols_));
  result.cost = best.dag_cost(graph_, roots, cost);
  return result;
}

TermId TermGraph::put(TermPool& pool, const TextTerm& term) {
  std::vector<TermId> ids, children;
  for (const TextTerm::Node& node : term.nodes) {
    children.clear();
    for (const uint32_t child : term.children_of(node)) children.push_back(ids[child]);
    ids.push_back(pool.add(symbols_.intern(graph_, node.symbol), children));
  }
  return ids.back();
}

TermGraph::Explained TermGraph::explain(const std::string& a, const std::string& b) {
  const std::lock_guard lock(mutex_);
  if (!explanations_) {
    throw tools::UsageError("this e-graph keeps no history: EGraph(explanations=True) does");
  }
  if (class_of(a) != class_of(b)) throw tools::UsageError("the terms were not found to be equal");
  compile();
  TermPool pool;
  const TermId from = put(pool, read(a)), to = put(pool, read(b));
  const Explanation why = Explainer(graph_, *rules_).explain(pool, from, to);
  const Checked checked = check_explanation(why, *rules_, graph_);
  if (!checked.is_right) throw std::logic_error("the explanation is wrong: " + checked.what);
  const OperatorNames names = operator_names_of(graph_, symbols_);
  Explained result{to_string(why, *rules_, names), {}};
  const std::optional<FlatExplanation> flat = flatten(why);
  if (!flat) return result;
  result.steps.emplace();
  for (const FlatStep& step : flat->steps) {
    const bool is_rule = step.kind == ExplanationStep::Kind::kRule;
    result.steps->push_back({to_string(flat->terms, step.term, names, SIZE_MAX),
                             is_rule ? (*rules_)[step.reason].name() : "given", step.is_reversed});
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> TermGraph::rules() {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::string>> result;
  for (const TextRule& rule : texts_) result.emplace_back(rule.name, to_string(rule, symbols_));
  return result;
}

uint64_t TermGraph::node_count() {
  const std::lock_guard lock(mutex_);
  return graph_.node_count();
}

uint64_t TermGraph::class_count() {
  const std::lock_guard lock(mutex_);
  return graph_.class_count();
}

std::string TermGraph::graphviz(size_t max_nodes) {
  const std::lock_guard lock(mutex_);
  graph_.rebuild();
  return egraph::graphviz(graph_, names_of(graph_, symbols_), {max_nodes, {}});
}

}  // namespace flipsat::python
