#include "passes/pipeline.h"

#include "hlo/input_error.h"
#include "passes/post_order.h"
#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

// Convert of reshape of gather: the convert can move only after the reshape has.
const std::string kNested =
    module_of("  x = f32[2,5] parameter(0)\n  g = f32[8,5] all-gather(x)" + gather_along("0") +
              "\n  r = f32[40] reshape(g)\n  ROOT h = bf16[40] convert(r)\n");

PipelineReport greedy(std::string& text, const GreedyOptions& options) {
  hlo::Module module = frontends::read_text(text, "test.hlo");
  PipelineReport report = run_greedy(module, options);
  text = frontends::write_text(module);
  return report;
}

TEST_CASE("pipeline: the registry order, one class each") {
  CHECK(registry_order() ==
        std::vector<std::string>{
            "aws_neuron_flip_all_gather_dynamic_slice", "aws_neuron_flip_all_gather_convert",
            "aws_neuron_flip_all_gather_reshape", "aws_neuron_flip_all_gathers_binary",
            "aws_neuron_flip_reduce_convert_add", "aws_neuron_flip_reduce_scatter_transpose"});
  for (const std::string& name : registry_order()) {
    CHECK(make_pass(name, Mode::kSound)->name() == name);
    CHECK(make_pass(name, Mode::kLiteral)->name() == name);
  }
  CHECK_THROWS_AS(make_pass("flip", Mode::kSound), std::invalid_argument);
}

TEST_CASE("pipeline: one sweep misses what a later pass makes possible for an earlier one") {
  std::string text = kNested;
  PipelineReport report = greedy(text, {});
  CHECK(report.sweeps == 1);
  CHECK(text.find("ROOT h = bf16[40] convert(all-gather.1)") != std::string::npos);
}

TEST_CASE("pipeline: another order finds it") {
  std::string text = kNested;
  GreedyOptions options;
  options.order = {"aws_neuron_flip_all_gather_reshape", "aws_neuron_flip_all_gather_convert"};
  PipelineReport report = greedy(text, options);
  CHECK(report.passes.size() == 2);
  CHECK(text.find("ROOT all-gather.2 = bf16[40] all-gather(convert.1)") != std::string::npos);
}

TEST_CASE("pipeline: a fix-point finds it, and stops") {
  std::string text = kNested;
  PipelineReport report = greedy(text, {.sweeps = Sweeps::kFixPoint});
  CHECK(report.sweeps == 3);
  CHECK(report.settled);
  CHECK(text.find("ROOT all-gather.2 = bf16[40] all-gather(convert.1)") != std::string::npos);
  CHECK(greedy(text, {.sweeps = Sweeps::kFixPoint}).changed == false);

  text = kNested;
  report = greedy(text, {.sweeps = Sweeps::kFixPoint, .max_sweeps = 1});
  CHECK_FALSE(report.settled);
}

TEST_CASE("pipeline: a disabled pass does not run") {
  std::string text = kNested;
  PipelineReport report = greedy(
      text, {.disabled = {"aws_neuron_flip_all_gather_reshape"}, .sweeps = Sweeps::kFixPoint});
  CHECK(text == kNested);
  CHECK_FALSE(report.changed);
  for (const PassReport& pass : report.passes) {
    CHECK(pass.runs == (pass.name == "aws_neuron_flip_all_gather_reshape" ? 0 : 1));
  }
}

TEST_CASE("pipeline: matched is expanded and refused together") {
  std::string text =
      module_of("  x = f32[2,5] parameter(0)\n  g = f32[8,5] all-gather(x)" + gather_along("0") +
                "\n  a = f32[40] reshape(g)\n  b = f32[5,8] reshape(g)\n"
                "  ROOT t = (f32[40], f32[5,8]) tuple(a, b)\n");
  GreedyOptions options;
  options.order = {"aws_neuron_flip_all_gather_reshape"};
  PassReport report = greedy(text, options).passes.at(0);
  CHECK(report.matched == 2);
  CHECK(report.expanded == 1);
  CHECK(report.refused.size() == 1);
  CHECK(report.changed);
}

TEST_CASE("pipeline: logs what was found, refused and why, and created under final names") {
  std::string text =
      module_of("  x = f32[2,5] parameter(0)\n  g = f32[8,5] all-gather(x)" + gather_along("0") +
                "\n  a = f32[40] reshape(g)\n  b = f32[5,8] reshape(g)\n"
                "  ROOT t = (f32[40], f32[5,8]) tuple(a, b)\n");
  CHECK(run("aws_neuron_flip_all_gather_reshape", text).log ==
        std::vector<std::string>{
            "found %a in main",
            "refused %b in main: the reshape does not keep the gathered parts together",
            "created %reshape.1 %all-gather.1 for %a in main"});
}

TEST_CASE("pipeline: names and modules do not depend on whether anybody listens") {
  for (Mode mode : {Mode::kSound, Mode::kLiteral}) {
    std::string silent = kNested;
    std::string logged = kNested;
    greedy(silent, {.mode = mode, .sweeps = Sweeps::kFixPoint});
    greedy(logged, {.mode = mode, .sweeps = Sweeps::kFixPoint, .log = [](const std::string&) {}});
    CHECK(silent == logged);
    CHECK(silent != kNested);
  }
}

TEST_CASE("pipeline: bodies of loops and calls are walked too") {
  std::string text = with(kNested, "ENTRY main {", "inner {");
  text +=
      "\nENTRY main {\n  y = f32[2,5] parameter(0)\n  ROOT c = bf16[40] call(y), "
      "to_apply=inner\n}\n";
  CHECK(greedy(text, {.sweeps = Sweeps::kFixPoint}).changed);
}

TEST_CASE("pipeline: dead code of the input stays") {
  std::string text = with(kNested, "  ROOT h", "  dead = f32[40] negate(r)\n  ROOT h");
  greedy(text, {.sweeps = Sweeps::kFixPoint});
  CHECK(text.find("dead = f32[40] negate(") != std::string::npos);
}

TEST_CASE("pipeline: a module that is not well formed is the user's mistake") {
  hlo::Module module = frontends::read_text(
      module_of("  x = f32[2,5] parameter(0)\n  ROOT r = f32[11] reshape(x)\n"), "test.hlo");
  CHECK_THROWS_AS(run_greedy(module), hlo::InputError);
}

TEST_CASE("pipeline: the walk is XLA's post-order") {
  hlo::Module module = frontends::read_text(R"(HloModule test

ENTRY main {
  x = f32[4] parameter(0)
  a = f32[4] abs(x)
  b = f32[4] negate(x)
  c = f32[4] sine(x), control-predecessors={a, b}
  lone = f32[4] cosine(b)
  ROOT d = f32[4] add(c, a)
}
)",
                                            "test.hlo");
  std::vector<std::string> names;
  for (hlo::InstructionId id : post_order(module, module.entry)) names.push_back(module[id].name);
  CHECK(names == std::vector<std::string>{"x", "b", "lone", "a", "c", "d"});
}

}  // namespace
}  // namespace flipsat::passes
