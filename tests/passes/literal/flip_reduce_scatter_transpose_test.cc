#include "passes/errors.h"
#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

using namespace testing;

const std::string kPass = "aws_neuron_flip_reduce_scatter_transpose";

const std::string kUpdate =
    "  z = f32[1,24,5] parameter(0)\n  u = f32[1,1,5] parameter(1)\n  i = s32[] constant(0)\n"
    "  w = f32[1,24,5] dynamic-update-slice(z, u, i, i, i)\n  x = f32[3,8,5] reshape(w)\n";

const std::string kScatter = "  r = f32[3,2,5] reduce-scatter(x)" + scatter_along("1", "add");

const std::string kTranspose =
    "\n  ROOT t = f32[5,3,2] transpose(r), dimensions={2,0,1}, metadata={op_name=\"turn\"}\n";

TEST_CASE("literal transpose: reuses the channel, copies no metadata") {
  Outcome outcome = run(kPass, module_of(kUpdate + kScatter + kTranspose), kLiteral);
  CHECK(outcome.text ==
        module_of(kUpdate +
                  "  transpose.1 = f32[5,3,8] transpose(x), dimensions={2,0,1}\n"
                  "  ROOT reduce-scatter.1 = f32[5,3,2] reduce-scatter(transpose.1)" +
                  scatter_along("2", "add") + "\n"));
  CHECK(outcome.log ==
        std::vector<std::string>{"Found Reduce Scatter (Convert) Transpose Pair: %t",
                                 "found %t in main", "New scatter dim is 2",
                                 "created %transpose.1 %reduce-scatter.1 for %t in main"});
}

TEST_CASE("literal transpose: a convert in between goes first, the reducer stays") {
  std::string text =
      module_of(kUpdate + kScatter + "\n  c = f16[3,2,5] convert(r)" +
                with(kTranspose, "f32[5,3,2] transpose(r)", "f16[5,3,2] transpose(c)"));
  std::string out = run(kPass, text, kLiteral).text;
  CHECK(out.find("convert.1 = f16[3,8,5] convert(x)\n"
                 "  transpose.1 = f16[5,3,8] transpose(convert.1), dimensions={2,0,1}\n"
                 "  ROOT reduce-scatter.1 = f16[5,3,2] reduce-scatter(transpose.1)" +
                 scatter_along("2", "add")) != std::string::npos);
}

TEST_CASE("literal transpose: the data is an update reshaped, or a sum with a parameter") {
  const std::string kOther =
      "refused %t in main: the data is neither an update reshaped nor a sum with a parameter";
  CHECK(run(kPass, module_of("  x = f32[3,8,5] parameter(0)\n" + kScatter + kTranspose), kLiteral)
            .log == std::vector<std::string>{kOther});
  std::string sum =
      "  p = (f32[3,8,5]) parameter(0)\n  q = f32[3,8,5] parameter(1)\n"
      "  e = f32[3,8,5] get-tuple-element(p), index=0\n  x = f32[3,8,5] add(q, e)\n";
  CHECK(run(kPass, module_of(sum + kScatter + kTranspose), kLiteral).report.expanded == 1);
  CHECK(run(kPass, module_of(with(sum, "add(q, e)", "add(q, q)") + kScatter + kTranspose), kLiteral)
            .log == std::vector<std::string>{kOther});
  std::string reshaped = with(kUpdate, "x = f32[3,8,5] reshape(w)", "x = f32[3,8,5] reshape(z)");
  CHECK(run(kPass, module_of(reshaped + kScatter + kTranspose), kLiteral).log ==
        std::vector<std::string>{kOther});
}

hlo::InstructionId root_of(const hlo::Module& module) {
  return module.computations[module.entry].root;
}

// A transpose of a tuple, which only a module that was not verified can have.
TEST_CASE("literal transpose: refuses a scatter of several operands, in the compiler's words") {
  hlo::Module module =
      frontends::read_text(module_of(kUpdate +
                                     with(kScatter, "f32[3,2,5] reduce-scatter(x)",
                                          "(f32[3,2,5], f32[3,2,5]) reduce-scatter(x, x)") +
                                     kTranspose),
                           "test.hlo");
  std::vector<std::string> log;
  ContextOptions options;
  options.log = [&](const std::string& line) { log.push_back(line); };
  Context context(module, options);
  Verdict verdict = make_pass(kPass, Mode::kLiteral)->matches(context, root_of(module));
  REQUIRE(verdict.is_refused());
  CHECK(verdict.reason() == std::string("the collective has several operands"));
  CHECK(log ==
        std::vector<std::string>{kPass + ": Reject Reduce Scatter (Convert) Transpose Pair because "
                                         "Reduce Scatter has operand count 2 more than 1 supported "
                                         "by this pass"});
}

TEST_CASE("literal transpose: a permutation that lacks the scattered dim ends the run") {
  hlo::Module module = frontends::read_text(
      module_of(kUpdate + kScatter + with(kTranspose, "{2,0,1}", "{2,0,0}")), "test.hlo");
  Context context(module, {});
  hlo::ModuleEditor editor(module);
  REQUIRE(make_pass(kPass, Mode::kLiteral)->matches(context, root_of(module)).is_accepted());
  CHECK_THROWS_MATCHES(
      make_pass(kPass, Mode::kLiteral)->expand(context, editor, root_of(module)), FatalError,
      Catch::Matchers::Message(
          "FATAL: Failed to find new scatter dim in pass FlipReduceScatterTranspose"));
  // The sound pass does not pass it over either.
  CHECK_THROWS_AS(make_pass(kPass, Mode::kSound)->expand(context, editor, root_of(module)),
                  std::logic_error);
}

}  // namespace
}  // namespace flipsat::passes
