// An e-graph of terms as text, with rules as text: what flipsat.egraph gives to Python.
//
// Nothing of Python is in here. A mutex lets threads share one graph, each call as a whole.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "egraph/extract.h"
#include "egraph/io/text.h"
#include "egraph/runner.h"
#include "egraph/term_pool.h"

namespace flipsat::python {

class TermGraph {
 public:
  // Explanations want a history, which is kept from the first term on.
  explicit TermGraph(bool explanations);

  // All throw egraph::InputError for text that is wrong; `file` is for its place. A term that is
  // asked about and was never added, or found, is a tools::UsageError.
  void add_rules(const std::string& text, const std::string& file);
  void add(const std::string& term);
  // States that they are equal, adding what is new.
  void unite(const std::string& a, const std::string& b);

  egraph::RunReport run(const egraph::RunOptions& options);
  bool are_equal(const std::string& a, const std::string& b);

  struct Costs {
    std::map<std::string, std::optional<egraph::Cost>> of;  // by name; nullopt: never chosen
    egraph::Cost other = 1;
  };
  struct Extracted {
    std::string term;
    egraph::Cost cost = 0;  // each chosen node once
    std::optional<egraph::Cost> bound;
  };
  // By "tree", "greedy-dag", "local" or "exact", with so much work for the last two.
  Extracted extract(const std::string& term, const Costs& costs, const std::string& method,
                    uint64_t work);

  struct Step {
    std::string term;
    std::string rule;
    bool is_reversed = false;
  };
  struct Explained {
    std::string text;
    std::optional<std::vector<Step>> steps;  // where they are not too many
  };
  // Checked before it is told.
  Explained explain(const std::string& a, const std::string& b);

  std::vector<std::pair<std::string, std::string>> rules();  // name and rule
  uint64_t node_count();
  uint64_t class_count();
  std::string graphviz(size_t max_nodes);

 private:
  egraph::TextTerm read(const std::string& term) {
    return egraph::read_term(term, "<term>", symbols_);
  }
  egraph::ClassId class_of(const std::string& term);
  egraph::TermId put(egraph::TermPool& pool, const egraph::TextTerm& term);
  void compile();

  std::mutex mutex_;
  bool explanations_;
  egraph::Symbols symbols_;
  egraph::EGraph graph_;
  std::vector<egraph::TextRule> texts_;
  // Of all rules so far; none where some are new.
  std::unique_ptr<egraph::RuleSet> rules_;
  std::unique_ptr<egraph::Saturator> saturator_;
};

}  // namespace flipsat::python
