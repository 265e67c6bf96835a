// The modules of docs/seed-passes.md: each literal pass changes what its module computes, and its
// sound twin does not.
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "passes/errors.h"
#include "tests/passes/literal/retype_reducers.h"
#include "tests/passes/passes_test.h"
#include "verify/numbers.h"

namespace flipsat::passes {
namespace {

using namespace testing;

std::vector<std::string> modules_of_the_page() {
  std::ifstream page(FLIPSAT_DOCS "/seed-passes.md");
  REQUIRE(page);
  std::vector<std::string> modules;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```hlo") {
      modules.emplace_back();
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      modules.back() += line + "\n";
    }
  }
  return modules;
}

// Elements that differ after the pass that the module is named after has run; nullopt: what it made
// is not well formed.
std::optional<int64_t> differing(const hlo::Module& before, const GreedyOptions& options) {
  hlo::Module after = before;
  try {
    run_greedy(after, options);
  } catch (const IllFormedModule&) {
    return std::nullopt;
  }
  retype_reducers(after);
  verify::NumberComparison comparison = verify::compare_on_numbers(before, after, {});
  INFO(comparison.reason);
  REQUIRE(comparison.compared);
  return comparison.differing;
}

TEST_CASE("literal: the counter-examples of docs/seed-passes.md are wrong, and right when sound") {
  std::set<std::string> passes;
  for (const std::string& text : modules_of_the_page()) {
    INFO(text);
    hlo::Module module = frontends::read_text(text, "seed-passes.md");
    GreedyOptions options;
    options.order = {"aws_neuron_" + module.name};
    passes.insert(module.name);
    CHECK(differing(module, options) == 0);
    options.mode = Mode::kLiteral;
    bool is_ill_formed = module.name == "flip_all_gathers_binary";
    std::optional<int64_t> literal = differing(module, options);
    CHECK(literal.has_value() == !is_ill_formed);
    CHECK(literal.value_or(1) > 0);
  }
  CHECK(passes.size() == 5);  // all but the convert flip
}

}  // namespace
}  // namespace flipsat::passes
