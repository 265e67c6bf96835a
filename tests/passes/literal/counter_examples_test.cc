// The modules of docs/seed-passes.md: each literal pass changes what its module computes, and its
// sound twin does not.
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "hlo/reducer.h"
#include "passes/errors.h"
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

// A reducer of another type than the data is read as backends read it: its operation, on the data.
void retype_reducers(hlo::Module& module) {
  for (size_t id = 0; id < module.instructions.size(); ++id) {
    hlo::ComputationList called = module.instructions[id].called_computations();
    if (!hlo::is_collective(module.instructions[id].opcode) || called.empty()) continue;
    hlo::Reducer reducer = hlo::recognise_reducer(module, called.front()).value();
    hlo::ElementType type = module.instructions[id].shape.type;
    if (reducer.type == type) continue;
    hlo::ComputationList retyped{hlo::find_or_add_reducer(module, reducer.kind, type)};
    module.instructions[id].set(hlo::AttributeKey::kToApply, std::move(retyped));
  }
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
