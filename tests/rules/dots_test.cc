// Dots over gathers, sums and transposes
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kDiffers = "the other operand differs inside a group";
const std::string kRegroups = "sums of floats are regrouped (--numerics reassoc)";
const std::string kUniform = ", sharding={replicated}";

// x, gathered along `dim` over two groups of two, is an operand of what the lines say.
std::string gathered(const std::string& type, const std::string& local, const std::string& whole,
                     int dim, const std::string& lines) {
  return program("x = " + type + local + " parameter(0)\ng = " + type + whole +
                 " all-gather(x), dimensions={" + std::to_string(dim) + "}" +
                 in_groups("{{0,1},{2,3}}") + "\n" + lines);
}

TEST_CASE("gather-dot: a free dim is gathered after the dot, on either side") {
  const std::string u = "u = f32[3,5] parameter(1)" + kUniform + "\n";
  Saturated left(gathered("f32", "[4,3]", "[8,3]", 0,
                          u + "ROOT r = f32[8,5] dot(g, u), lhs_contracting_dims={1}, "
                              "rhs_contracting_dims={0}\n"),
                 only({"gather-dot"}));
  left.check_form("r", "all-gather{0}(f32[4,5] dot(x, u))");
  Saturated right(gathered("f32", "[4,3]", "[8,3]", 0,
                           u + "ROOT r = f32[5,8] dot(u, g), lhs_contracting_dims={0}, "
                               "rhs_contracting_dims={1}\n"),
                  only({"gather-dot"}));
  right.check_form("r", "all-gather{1}(f32[5,4] dot(u, x))");
  Saturated own(gathered("f32", "[4,3]", "[8,3]", 0,
                         "u = f32[3,5] parameter(1)\n"
                         "ROOT r = f32[8,5] dot(g, u), lhs_contracting_dims={1}, "
                         "rhs_contracting_dims={0}\n"),
                only({"gather-dot"}));
  CHECK(own.refusal("gather-dot/forward/left") == kDiffers);
}

TEST_CASE("gather-dot: a batch dim, gathered alike or cut") {
  const std::string batches =
      "lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, "
      "rhs_contracting_dims={0}\n";
  Saturated both(
      gathered("s32", "[2,3,4]", "[4,3,4]", 0,
               "y = s32[4,2] parameter(1)\n"
               "h = s32[4,4] all-gather(y), dimensions={1}" +
                   in_groups("{{0,1},{2,3}}", 2) + "\nROOT r = s32[4,3] dot(g, h), " + batches),
      only({"gather-dot"}));
  both.check_form("r", "all-gather{0}(s32[2,3] dot(x, y))");
  Saturated cut(gathered("s32", "[2,3,4]", "[4,3,4]", 0,
                         "u = s32[4,4] parameter(1)" + kUniform +
                             "\nROOT r = s32[4,3] dot(g, u), " + batches),
                only({"gather-dot"}));
  cut.check_form("r", "all-gather{0}(s32[2,3] dot(x, s32[4,2] dynamic-slice(u, _, _)))");
  Saturated apart(
      gathered("s32", "[2,3,4]", "[4,3,4]", 0,
               "y = s32[4,2] parameter(1)\n"
               "h = s32[4,4] all-gather(y), dimensions={1}" +
                   in_groups("{{1,0},{3,2}}", 2) + "\nROOT r = s32[4,3] dot(g, h), " + batches),
      only({"gather-dot"}));
  CHECK(apart.refusal("gather-dot/forward/batch") == "the batch dims are not gathered alike");
}

TEST_CASE("gather-dot: back, where the operand is gathered anyway") {
  auto after = [&](const std::string& also) {
    return program("x = f32[4,3] parameter(0)\nu = f32[3,5] parameter(1)" + kUniform +
                   "\nd = f32[4,5] dot(x, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                   "g = f32[8,5] all-gather(d), dimensions={0}" +
                   in_groups("{{0,1},{2,3}}") + "\n" + also);
  };
  Saturated run(after("h = f32[8,3] all-gather(x), dimensions={0}" + in_groups("{{0,1},{2,3}}", 2) +
                      "\nROOT r = (f32[8,5], f32[8,3]) tuple(g, h)\n"),
                only({"gather-dot"}));
  run.check_form("g", "dot(h, u)");
  Saturated alone(after("ROOT r = f32[8,5] negate(g)\n"), only({"gather-dot"}));
  CHECK(alone.refusal("gather-dot/backward/left") == "the operand is not gathered elsewhere");
}

TEST_CASE("gather-dot-contracted: what is contracted over all members is a sum") {
  auto both = [&](const std::string& type) {
    return gathered(type, "[4,3]", "[4,6]", 1,
                    "y = " + type + "[3,5] parameter(1)\nh = " + type +
                        "[6,5] all-gather(y), dimensions={0}" + in_groups("{{0,1},{2,3}}", 2) +
                        "\nROOT r = " + type +
                        "[4,5] dot(g, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  };
  Saturated integers(both("s32"), only({"gather-dot-contracted"}));
  integers.check_form("r", "all-reduce(dot(x, y))");
  Saturated floats(both("f32"), only({"gather-dot-contracted"}));
  CHECK(floats.refused("gather-dot-contracted/forward/both").count(kRegroups) == 1);
  Saturated loose(both("f32"), only({"gather-dot-contracted"}, hlo::Numerics::kReassoc));
  CHECK(loose.holds("r", "all-reduce(dot(x, y))"));
  CHECK(loose.reducer("r", "all-reduce(dot(x, y))").kind == hlo::ReducerKind::kAdd);

  Saturated uniform(gathered("s32", "[4,3]", "[4,6]", 1,
                             "u = s32[6,5] parameter(1)" + kUniform +
                                 "\nROOT r = s32[4,5] dot(g, u), lhs_contracting_dims={1}, "
                                 "rhs_contracting_dims={0}\n"),
                    only({"gather-dot-contracted"}));
  uniform.check_form("r", "all-reduce(dot(x, s32[3,5] dynamic-slice(u, _, _)))");
}

TEST_CASE("gather-dot-contracted: back, where both are gathered anyway") {
  Saturated run(gathered("s32", "[4,3]", "[4,6]", 1,
                         "y = s32[3,5] parameter(1)\n"
                         "h = s32[6,5] all-gather(y), dimensions={0}" +
                             in_groups("{{0,1},{2,3}}", 2) +
                             "\nd = s32[4,5] dot(x, y), lhs_contracting_dims={1}, "
                             "rhs_contracting_dims={0}\n"
                             "s = s32[4,5] all-reduce(d), to_apply=add_s32" +
                             in_groups("{{0,1},{2,3}}", 3) +
                             "\nROOT r = (s32[4,5], s32[4,6], s32[6,5]) tuple(s, g, h)\n"),
                only({"gather-dot-contracted"}));
  run.check_form("s", "dot(g, h)");
}

std::string summed(const std::string& type, const std::string& result,
                   const std::string& reducer = "add", const std::string& sharding = kUniform) {
  return program("x = " + type + "[4,3] parameter(0)\nu = " + type + "[3,5] parameter(1)" +
                 sharding + "\ns = " + type + "[4,3] all-reduce(x), to_apply=" + reducer + "_" +
                 type + in_groups("{{0,1},{2,3}}") + "\nROOT r = " + result +
                 "[4,5] dot(s, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
}

TEST_CASE("reduce-dot: a dot is linear") {
  Saturated run(summed("s32", "s32"), only({"reduce-dot"}));
  run.check_form("r", "all-reduce(dot(x, u))");
  Saturated floats(summed("f32", "f32"), only({"reduce-dot"}, hlo::Numerics::kReassoc));
  CHECK(floats.refusal("reduce-dot/forward/all-reduce/left") ==
        "beside infinities a dot of floats is not linear");
  Saturated wraps(summed("s8", "s32"), only({"reduce-dot"}));
  CHECK(wraps.refusal("reduce-dot/forward/all-reduce/left") ==
        "the sum would be made in another type");
  Saturated largest(summed("s32", "s32", "maximum"), only({"reduce-dot"}));
  CHECK(largest.refusal("reduce-dot/forward/all-reduce/left") == "no sum");
  Saturated own(summed("s32", "s32", "add", ""), only({"reduce-dot"}));
  CHECK(own.refusal("reduce-dot/forward/all-reduce/left") == kDiffers);
}

TEST_CASE("reduce-dot: a scatter along a free dim, both ways") {
  const std::string inputs =
      "x = s32[4,3] parameter(0)\n"
      "u = s32[3,5] parameter(1)" +
      kUniform + "\n";
  const std::string groups = ", to_apply=add_s32" + in_groups("{{0,1},{2,3}}");
  Saturated forward(program(inputs + "s = s32[2,3] reduce-scatter(x), dimensions={0}" + groups +
                            "\nROOT r = s32[5,2] dot(u, s), lhs_contracting_dims={0}, "
                            "rhs_contracting_dims={1}\n"),
                    only({"reduce-dot"}));
  forward.check_form("r", "reduce-scatter{1}(s32[5,4] dot(u, x))");
  Saturated backward(program(inputs +
                             "d = s32[4,5] dot(x, u), lhs_contracting_dims={1}, "
                             "rhs_contracting_dims={0}\n"
                             "ROOT r = s32[2,5] reduce-scatter(d), dimensions={0}" +
                             groups + "\n"),
                     only({"reduce-dot"}));
  backward.check_form("r", "dot(s32[2,3] reduce-scatter{0}(x), u)");
}

TEST_CASE("dot-transpose: a dot names dims by where they stand") {
  const std::string y = "y = f32[5,3] parameter(1)\n";
  auto operand = [&](const std::string& lines) {
    return gathered("f32", "[3,2]", "[3,4]", 1, y + lines);
  };
  Saturated run(operand("t = f32[4,3] transpose(g), dimensions={1,0}\n"
                        "ROOT r = f32[4,5] dot(t, y), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={1}\n"),
                only({"dot-transpose"}));
  run.check_form("r", "dot{1,0,0,1}(g, y)");
  Saturated result(program("x = f32[3,4] parameter(0)\n" + y +
                           "d = f32[4,5] dot(x, y), lhs_contracting_dims={0}, "
                           "rhs_contracting_dims={1}\n"
                           "t = f32[5,4] transpose(d), dimensions={1,0}\n"
                           "ROOT r = f32[20,4] all-gather(t), dimensions={0}" +
                           kOverAll + "\n"),
                   only({"dot-transpose"}));
  result.check_form("t", "dot{1,0,1,0}(y, x)");
  Saturated free(gathered("f32", "[3,2,2]", "[3,4,2]", 1,
                          y + "t = f32[2,4,3] transpose(g), dimensions={2,1,0}\n"
                              "ROOT r = f32[2,4,5] dot(t, y), lhs_contracting_dims={2}, "
                              "rhs_contracting_dims={1}\n"),
                 only({"dot-transpose"}));
  CHECK(free.refusal("dot-transpose/operand/left") == "free dims are exchanged");
}

}  // namespace
}  // namespace flipsat::rules::testing
