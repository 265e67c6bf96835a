// What random programs found, each as the small program that was left of it.
#include "tests/optimizer/optimizing.h"
#include "verify/numbers.h"

namespace flipsat::optimizer::testing {
namespace {

// Nothing but the rules stands between a wrong output and the file.
Options unverified(std::set<std::string> only = {}) {
  Options options;
  options.only = std::move(only);
  options.verify = VerifyLevel::kOff;
  options.greedy_seed = false;
  return options;
}

void check_same_numbers(const Optimized& run) {
  const hlo::Module input = frontends::read_text(run.input, "in.hlo");
  const verify::NumberComparison same = verify::compare_on_numbers(input, run.output, {});
  CHECK(same.reason == "");
  CHECK(same.elements > 0);
  CHECK(same.differing == 0);
}

TEST_CASE("a new gather is not spelled with the members of an all-reduce in their order") {
  Optimized run(program("  x = f32[4,8] parameter(0)\n"
                        "  y = f32[2,2] parameter(1)\n"
                        "  m = f32[4,8] all-reduce(x), to_apply=maximum_f32" +
                            in_groups("{{2,0,1}}") +
                            "\n"
                            "  g = f32[2,6] all-gather(y), dimensions={1}" +
                            in_groups("{{0,1,2}}", 2) +
                            "\n"
                            "  h = f32[2,6] all-gather(y), dimensions={1}" +
                            in_groups("{{0,1,2}}", 3) +
                            "\n"
                            "  s = f32[2,6] add(g, h)\n"
                            "  ROOT t = (f32[4,8], f32[2,6]) tuple(m, s)\n",
                        "num_partitions=3"),
                unverified({"gather-elementwise"}));
  CHECK(run.shape_of_one(hlo::Opcode::kAllGather) == "f32[2,6]");
  check_same_numbers(run);
}

TEST_CASE("that the greedy order drops what nobody uses is no change") {
  Options options = unverified({"gather-convert"});
  options.greedy_seed = true;
  Optimized run(program("  x = f32[4] parameter(0)\n"
                        "  g = f32[16] all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "  c = bf16[16] convert(g)\n"
                        "  ROOT r = f32[4] negate(x)\n"),
                options);
  CHECK(run.is_unchanged());
}

}  // namespace
}  // namespace flipsat::optimizer::testing
