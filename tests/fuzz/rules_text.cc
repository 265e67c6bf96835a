// Fuzz target of the readers of rules and terms: any bytes are read or refused; what was read
// prints as what reads the same, and compiles.
#include "egraph/io/text.h"
#include "egraph/runner.h"
#include "tests/fuzz/require.h"

namespace {

using namespace flipsat;
using namespace flipsat::egraph;

std::string printed(const std::vector<TextRule>& rules, const Symbols& symbols) {
  std::string text;
  for (const TextRule& rule : rules) {
    text += rule.name + (rule.name.ends_with(':') ? ": " : " : ") + to_string(rule, symbols) + '\n';
  }
  return text;
}

void try_rules(std::string_view text) {
  Symbols symbols;
  std::vector<TextRule> rules;
  try {
    rules = read_rules(text, "fuzz", symbols);
  } catch (const InputError&) {
    return;
  }
  Symbols again;
  const std::string once = printed(rules, symbols);
  fuzz::require(printed(read_rules(once, "printed", again), again) == once,
                "printed rules are others");
  EGraph graph;
  graph.add(graph.intern(Symbols::kLeaf));
  RunOptions options;
  options.limits.iterations = 2;
  options.limits.nodes = 1000;
  run(graph, make_rules(rules, symbols, graph), options);
  graph.check();
}

void try_term(std::string_view text) {
  Symbols symbols;
  TextTerm term;
  try {
    term = read_term(text, "fuzz", symbols);
  } catch (const InputError&) {
    return;
  }
  Symbols again;
  const std::string once = to_string(term, symbols);
  fuzz::require(to_string(read_term(once, "printed", again), again) == once,
                "a printed term is another");
  EGraph graph;
  add_term(graph, term, symbols);
  graph.check();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_rules(text);
  try_term(text);
  return 0;
}
