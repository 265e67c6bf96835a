// The six passes on all small shapes of their patterns: the sound ones are never wrong, and the
// literal ones are counted for docs/seed-passes.md.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "frontends/text/text.h"
#include "passes/errors.h"
#include "tests/catch.h"
#include "tests/length.h"
#include "tests/passes/literal/retype_reducers.h"
#include "tests/rules/spaces/spaces.h"

namespace flipsat::rules::testing {
namespace {

using optimizer::CheckOptions;
using optimizer::Counts;
using optimizer::Judge;
using optimizer::Rewriter;
using optimizer::Rewrites;

double scale() {
  if (const char* scale = std::getenv("FLIPSAT_HARNESS_SCALE")) return std::atof(scale);
  return flipsat::testing::length<double>({1, 0.25}, {0.1, 0.05});
}

// The literal pass; what it makes that is not well formed is counted, and is no form.
Rewriter literal(const std::string& pass, Promise promise, int64_t& ill_formed) {
  passes::GreedyOptions options;
  options.order = {pass};
  options.mode = passes::Mode::kLiteral;
  return [=, &ill_formed,
          run = optimizer::pass_rewriter(options, promise)](const hlo::Module& module) {
    Rewrites rewrites;
    try {
      rewrites = run(module);
    } catch (const passes::IllFormedModule&) {
      ++ill_formed;
      rewrites.refusal = "ill-formed";
    }
    for (optimizer::Form& form : rewrites.forms) {
      passes::testing::retype_reducers(form.module);
      // Equal bits are right in every class, whatever the types.
      const optimizer::Judgement same = Judge(module).of(form.module, Promise::kBits);
      if (same.verdict == optimizer::Judgement::kRight) form.promise = Promise::kBits;
    }
    return rewrites;
  };
}

std::string size_of(const std::optional<optimizer::CounterExample>& example) {
  if (!example) return "-";
  return std::to_string(example->devices) + " devices, " + std::to_string(example->elements) +
         " elements";
}

void show(const std::optional<optimizer::CounterExample>& example) {
  if (!example || !std::getenv("FLIPSAT_HARNESS_EXAMPLES")) return;
  std::printf("%s\nbecame\n\n%s\n%s\n", frontends::write_text(example->module).c_str(),
              frontends::write_text(example->rewritten).c_str(), example->text.c_str());
}

TEST_CASE("seed passes: literal ones are counted, sound ones are never wrong", "[harness]") {
  std::string table;
  for (const Space& space : pass_spaces()) {
    INFO(space.rule);
    CheckOptions options{.scale = scale()};
    int64_t ill_formed = 0, unused = 0;
    Counts bits = optimizer::check(space, literal(space.rule, Promise::kBits, ill_formed), options);
    options.try_candidates = false;
    Counts values =
        optimizer::check(space, literal(space.rule, Promise::kPrecise, unused), options);
    passes::GreedyOptions greedy;
    greedy.order = {space.rule};
    Counts sound =
        optimizer::check(space, optimizer::pass_rewriter(greedy, Promise::kBits), options);
    CHECK(bits.not_run + values.not_run + sound.not_run == 0);
    CHECK(bits.fired > 0);
    CHECK(sound.fired > 0);
    CHECK(sound.wrong == 0);
    show(values.smallest ? values.smallest : bits.smallest);
    const std::string name = space.rule.substr(std::string("aws_neuron_").size());
    std::printf(
        "counted: %s: %ld programs, literal matched %ld: %ld ill-formed, %ld other bits, %ld wrong "
        "(smallest: %s), missed %ld; sound fired %ld, wrong %ld\n",
        name.c_str(), bits.cases, bits.fired + ill_formed, ill_formed, bits.wrong, values.wrong,
        size_of(values.smallest).c_str(), bits.refused_though_right_in_all(), sound.fired,
        sound.wrong);
    table += name;
    for (int64_t number : {bits.cases, bits.fired + ill_formed, ill_formed, bits.wrong,
                           values.wrong, bits.refused_though_right_in_all(), sound.fired}) {
      table += "\t" + std::to_string(number);
    }
    table += "\t" + size_of(values.smallest) + "\n";
  }
  if (const char* path = std::getenv("FLIPSAT_SEED_PASSES_TABLE")) std::ofstream(path) << table;
}

}  // namespace
}  // namespace flipsat::rules::testing
