// AR(DUS_d(e, x, own block)) = AG_d(x)
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

struct Emulated {
  std::string type = "s32", reducer = "add", base = "0", table = "0, 2, 4, 6", rows = "8";
  std::string groups = "{{0,1,2,3}}";

  std::string text() const {
    return program("x = " + type + "[2,3] parameter(0)\n" +  //
                   "base = " + type + "[] constant(" + base + ")\n" + "bases = " + type + "[" +
                   rows + ",3] broadcast(base), dimensions={}\n" +
                   "zero = s32[] constant(0)\n"
                   "pid = u32[] partition-id()\n"
                   "table = s32[4] constant({" +
                   table +
                   "})\n"
                   "entry = s32[1] dynamic-slice(table, pid), dynamic_slice_sizes={1}\n"
                   "start = s32[] reshape(entry)\n" +
                   "u = " + type + "[" + rows +
                   ",3] dynamic-update-slice(bases, x, start, zero)\n" + "ROOT r = " + type + "[" +
                   rows + ",3] all-reduce(u), to_apply=" + reducer + "_" + type +
                   in_groups(groups) + "\n");
  }
};

const Setup kExact = only({"reduce-update"});

TEST_CASE("reduce-update: a block each, added to nothing, is a gather") {
  Saturated run(Emulated{}.text(), kExact);
  run.check_form("r", "all-gather{0}(x)");
  CHECK(run.groups("r", "all-gather{0}(x)") == "{{0,1,2,3}}");
}

TEST_CASE("reduce-update: members are sorted by the block that they update") {
  Saturated run(Emulated{.table = "6, 0, 2, 4"}.text(), kExact);
  CHECK(run.groups("r", "all-gather{0}(x)") == "{{1,2,3,0}}");
  run.check_form("r", "all-gather{0}(x)");
  Saturated pairs(Emulated{.table = "2, 2, 0, 0", .rows = "4", .groups = "{{0,2},{1,3}}"}.text(),
                  kExact);
  CHECK(pairs.groups("r", "all-gather{0}(x)") == "{{2,0},{3,1}}");
  pairs.check_form("r", "all-gather{0}(x)");
}

TEST_CASE("reduce-update: each reduction has its own nothing") {
  for (const Emulated& emulated : {Emulated{.type = "f32", .base = "-0"},
                                   Emulated{.type = "f32", .reducer = "maximum", .base = "-inf"},
                                   Emulated{.type = "f32", .reducer = "minimum", .base = "inf"},
                                   Emulated{.reducer = "maximum", .base = "-2147483648"},
                                   Emulated{.reducer = "minimum", .base = "2147483647"},
                                   Emulated{.type = "u8", .reducer = "minimum", .base = "255"},
                                   Emulated{.type = "f32", .reducer = "multiply", .base = "1"}}) {
    INFO(emulated.type << " " << emulated.reducer << " " << emulated.base);
    Saturated run(emulated.text(), kExact);
    run.check_form("r", "all-gather{0}(x)");
  }
}

TEST_CASE("reduce-update: over +0.0 the sign of a zero changes") {
  const std::string text = Emulated{.type = "f32"}.text();
  CHECK(Saturated(text, kExact).refusal("reduce-update") ==
        "-0.0 added to +0.0 changes its sign (--numerics reassoc)");
  Saturated run(text, only({"reduce-update"}, hlo::Numerics::kReassoc));
  run.check_form("r", "all-gather{0}(x)");
}

TEST_CASE("reduce-update: refused, each with its reason") {
  auto refusal = [](const Emulated& emulated) {
    return Saturated(emulated.text(), kExact).refusal("reduce-update");
  };
  const std::string no_identity = "what is updated is not known to be the reduction's identity";
  CHECK(refusal({.base = "1"}) == no_identity);
  CHECK(refusal({.reducer = "maximum"}) == no_identity);
  CHECK(refusal({.type = "f32", .reducer = "maximum", .base = "-1e30"}) == no_identity);
  CHECK(refusal({.rows = "9"}) == "the updates of a group do not fill the array");
  CHECK(refusal({.table = "0, 2, 2, 6"}) == "the members of a group do not update a block each");
  CHECK(refusal({.rows = "2"}) == "every member updates all of the array");
  Saturated unknown(program("x = s32[2] parameter(0)\n"
                            "start = s32[] parameter(1)\n"
                            "zero = s32[] constant(0)\n"
                            "zeros = s32[8] broadcast(zero), dimensions={}\n"
                            "u = s32[8] dynamic-update-slice(zeros, x, start)\n"
                            "ROOT r = s32[8] all-reduce(u), to_apply=add_s32" +
                            kOverAll + "\n"),
                    kExact);
  CHECK(unknown.refusal("reduce-update") == "where a device updates is not known");
}

}  // namespace
}  // namespace flipsat::rules::testing
