// reshape(AG_d(x)) = AG_o(reshape(x))
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

Saturated forward(const std::string& local, const std::string& gathered, int dim,
                  const std::string& result) {
  return Saturated(
      program("x = f32" + local +
              " parameter(0)\n"
              "g = f32" +
              gathered + " all-gather(x), dimensions={" + std::to_string(dim) + "}" + kOverAll +
              "\n"
              "ROOT r = f32" +
              result + " reshape(g)\n"),
      only({"gather-reshape"}));
}

Saturated backward(const std::string& from, const std::string& to, int dim,
                   const std::string& result, const std::string& groups = "{{0,1,2,3}}") {
  return Saturated(program("x = f32" + from +
                           " parameter(0)\n"
                           "s = f32" +
                           to +
                           " reshape(x)\n"
                           "ROOT r = f32" +
                           result + " all-gather(s), dimensions={" + std::to_string(dim) + "}" +
                           in_groups(groups) + "\n"),
                   only({"gather-reshape"}));
}

const std::string kForwardRefusal = "the reshape mixes the gathered blocks";
const std::string kBackwardRefusal = "no dim before the reshape holds the same blocks";
const std::string kRepeats = "the gather repeats one value";

TEST_CASE("gather-reshape: a dim behind the gathered one is split") {
  Saturated run = forward("[5,2,12]", "[5,8,12]", 1, "[5,8,3,4]");
  CHECK(run.holds("r", "f32[5,8,3,4] all-gather{1}(f32[5,2,3,4] reshape(x))"));
  run.check_form("r", "all-gather{1}(reshape(x))");
}

TEST_CASE("gather-reshape: the major gathered dim takes in what stands behind it") {
  Saturated run = forward("[3,5]", "[12,5]", 0, "[60]");
  CHECK(run.holds("r", "all-gather{0}(f32[15] reshape(x))"));
  run.check_form("r", "all-gather{0}(reshape(x))");
}

TEST_CASE("gather-reshape: the gathered dim is split where the group size divides its first part") {
  Saturated run = forward("[2,6,5]", "[2,24,5]", 1, "[2,8,3,5]");
  CHECK(run.holds("r", "all-gather{1}(f32[2,2,3,5] reshape(x))"));
  run.check_form("r", "all-gather{1}(reshape(x))");
}

TEST_CASE("gather-reshape: dims before the gathered one are merged among themselves") {
  Saturated run = forward("[2,3,4,5]", "[2,3,16,5]", 2, "[6,16,5]");
  CHECK(run.holds("r", "all-gather{1}(f32[6,4,5] reshape(x))"));
  run.check_form("r", "all-gather{1}(reshape(x))");
}

TEST_CASE("gather-reshape: who else reads the old gather reads the new one, reshaped back") {
  Saturated run = forward("[3,5]", "[12,5]", 0, "[60]");
  CHECK(run.holds("g", "f32[12,5] reshape(f32[60] all-gather{0}(f32[15] reshape(x)))"));
  run.check_form("g", "reshape(f32[60] all-gather{0}(reshape(x)))");
}

TEST_CASE("gather-reshape: dims of one move the gathered dim and nothing else") {
  Saturated run = forward("[2,3]", "[8,3]", 0, "[1,1,8,1,3]");
  CHECK(run.holds("r", "all-gather{2}(f32[1,1,2,1,3] reshape(x))"));
  run.check_form("r", "all-gather{2}(reshape(x))");
}

TEST_CASE("gather-reshape: refused where the gathered dim is merged into an earlier one") {
  Saturated run = forward("[3,2,5]", "[3,8,5]", 1, "[24,5]");
  CHECK(run.refusal("gather-reshape/forward") == kForwardRefusal);
  CHECK_FALSE(run.holds("r", "all-gather{0}(_)"));
}

TEST_CASE("gather-reshape: refused where the group size does not divide the new dim") {
  Saturated run = forward("[3,2]", "[12,2]", 0, "[2,6,2]");
  CHECK(run.refusal("gather-reshape/forward") == kForwardRefusal);
}

TEST_CASE("gather-reshape: refused forward for arrays without elements") {
  Saturated run = forward("[2,0]", "[8,0]", 0, "[0,8]");
  CHECK(run.refusal("gather-reshape/forward") == kForwardRefusal);
}

TEST_CASE("gather-reshape: going back, the gathered dim is found before the reshape") {
  Saturated run = backward("[6,5]", "[6,5,1]", 1, "[6,20,1]");
  CHECK(run.holds("r", "f32[6,20,1] reshape(f32[6,20] all-gather{1}(x))"));
  run.check_form("r", "reshape(all-gather{1}(x))");
}

TEST_CASE("gather-reshape: going back needs no divisibility") {
  // 3 is no multiple of the group size, nor is what it is split into.
  Saturated run = backward("[9,5]", "[3,3,5]", 0, "[12,3,5]");
  CHECK(run.holds("r", "reshape(f32[36,5] all-gather{0}(x))"));
  run.check_form("r", "reshape(all-gather{0}(x))");
}

TEST_CASE("gather-reshape: going back, every legal dim is one") {
  Saturated run = backward("[1,1,6]", "[6]", 0, "[24]");
  CHECK(run.holds("r", "reshape(f32[4,1,6] all-gather{0}(x))"));
  CHECK(run.holds("r", "reshape(f32[1,4,6] all-gather{1}(x))"));
  CHECK(run.holds("r", "reshape(f32[1,1,24] all-gather{2}(x))"));
  run.check_form("r", "reshape(f32[4,1,6] all-gather{0}(x))");
  run.check_form("r", "reshape(f32[1,4,6] all-gather{1}(x))");
  run.check_form("r", "reshape(f32[1,1,24] all-gather{2}(x))");
}

TEST_CASE("gather-reshape: going back, a merged dim is gathered along its first part alone") {
  Saturated run = backward("[3,2,5]", "[6,5]", 0, "[24,5]");
  CHECK(run.holds("r", "reshape(f32[12,2,5] all-gather{0}(x))"));
  CHECK_FALSE(run.holds("r", "reshape(all-gather{1}(x))"));
  CHECK_FALSE(run.holds("r", "reshape(all-gather{2}(x))"));
  run.check_form("r", "reshape(all-gather{0}(x))");
}

TEST_CASE("gather-reshape: refused going back where no dim starts at that place") {
  Saturated run = backward("[4,6]", "[2,12]", 1, "[2,48]");
  CHECK(run.refusal("gather-reshape/backward") == kBackwardRefusal);
}

TEST_CASE("gather-reshape: refused going back for arrays without elements") {
  Saturated run = backward("[0,6]", "[6,0]", 0, "[24,0]");
  CHECK(run.refusal("gather-reshape/backward") == "an empty array");
}

TEST_CASE("gather-reshape: groups of one are left to collective-of-one") {
  const std::string text = program(
      "x = f32[6,2] parameter(0)\n"
      "g = f32[6,2] all-gather(x), dimensions={1}" +
      in_groups("{{0},{1},{2},{3}}") +
      "\n"
      "ROOT r = f32[4,3] reshape(g)\n");
  CHECK(Saturated(text, only({"gather-reshape"})).refusal("gather-reshape/forward") ==
        kForwardRefusal);
  Saturated both(text, only({"gather-reshape", "collective-of-one"}));
  both.check_form("g", "x");
}

TEST_CASE("gather-reshape: a bitcast that is a reshape is one") {
  Saturated run(program("x = bf16[4,6]{1,0} parameter(0)\n"
                        "g = bf16[16,6]{1,0} all-gather(x), dimensions={0}" +
                        kOverAll +
                        "\n"
                        "ROOT r = bf16[96]{0} bitcast(g)\n"),
                only({"gather-reshape"}));
  CHECK(run.holds("r", "all-gather{0}(bf16[24] reshape(x))"));
  Saturated other(program("x = bf16[4,6]{1,0} parameter(0)\n"
                          "g = bf16[16,6]{0,1} all-gather(x), dimensions={0}" +
                          kOverAll +
                          "\n"
                          "ROOT r = bf16[96]{0} bitcast(g)\n"),
                  only({"gather-reshape"}));
  CHECK_FALSE(other.holds("r", "all-gather{0}(_)"));
}

TEST_CASE("gather-reshape: refused where one value is repeated") {
  const std::string repeated =
      "x = f32[2,3] parameter(0), sharding={replicated}\n"
      "g = f32[8,3] all-gather(x), dimensions={0}" +
      kOverAll + "\n";
  Saturated forward(program(repeated + "ROOT r = f32[4,2,3] reshape(g)\n"),
                    only({"gather-reshape"}));
  CHECK(forward.refusal("gather-reshape/forward") == kRepeats);
  Saturated backward(program("x = f32[2,3] parameter(0), sharding={replicated}\n"
                             "s = f32[2,1,3] reshape(x)\n"
                             "ROOT r = f32[8,1,3] all-gather(s), dimensions={0}" +
                             kOverAll + "\n"),
                     only({"gather-reshape"}));
  CHECK(backward.refusal("gather-reshape/backward") == kRepeats);
}

}  // namespace
}  // namespace flipsat::rules::testing
