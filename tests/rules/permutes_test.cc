// f(CP(x1), .., u, ..) = CP(f(x1, .., u, ..)), and permutes among themselves
#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

const std::string kRing = ", channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}";
const std::string kShift = ", channel_id=1, source_target_pairs={{0,1},{1,2},{2,3}}";
const std::string kNoZeros = "a device that is no target would not get zeros";
const std::string kDiffers = "an operand differs between a source and its target";

// `x` is sent on as `c`; what the lines make of it is the result.
std::string after(const std::string& pairs, const std::string& lines,
                  const std::string& type = "f32") {
  return program("x = " + type + "[4,6] parameter(0)\n" + "c = " + type +
                 "[4,6] collective-permute(x)" + pairs + "\n" + lines);
}
// The lines make `y` of `x`, which is then sent on.
std::string before(const std::string& pairs, const std::string& lines, const std::string& shape,
                   const std::string& type = "f32") {
  return program("x = " + type + "[4,6] parameter(0)\n" + lines + "ROOT r = " + shape +
                 " collective-permute(y)" + pairs + "\n");
}

TEST_CASE("permute-convert: both ways, whoever receives") {
  for (const std::string& pairs : {kRing, kShift}) {
    Saturated forward(after(pairs, "ROOT r = bf16[4,6] convert(c)\n"), only({"permute-convert"}));
    forward.check_form("r", "collective-permute(bf16[4,6] convert(x))");
    Saturated backward(before(pairs, "y = f32[4,6] convert(x)\n", "f32[4,6]", "bf16"),
                       only({"permute-convert"}));
    backward.check_form("r", "convert(bf16[4,6] collective-permute(x))");
  }
}

TEST_CASE("permute-convert: refused where zeros are no zeros in the other type") {
  const std::string narrow = "ROOT r = f8e8m0fnu[4,6] convert(c)\n";
  Saturated refused(after(kShift, narrow), only({"permute-convert"}));
  CHECK(refused.refusal("permute-convert/forward/x") == kNoZeros);
  Saturated all(after(kRing, narrow), only({"permute-convert"}));
  CHECK(all.holds("r", "collective-permute(convert(x))"));
}

TEST_CASE("permute: data movement, both ways") {
  struct Movement {
    const char* rule;
    const char* line;
    const char* shape;
    const char* form;
  };
  for (const Movement& m :
       {Movement{"permute-reshape", "reshape(OPERAND)", "f32[2,12]", "f32[2,12] reshape"},
        Movement{"permute-transpose", "transpose(OPERAND), dimensions={1,0}", "f32[6,4]",
                 "transpose{1,0}"},
        Movement{"permute-broadcast", "broadcast(OPERAND), dimensions={0,2}", "f32[4,3,6]",
                 "broadcast{0,2}"},
        Movement{"permute-slice", "slice(OPERAND), slice={[1:3],[0:6:2]}", "f32[2,3]",
                 "slice{1,3,1,0,6,2}"},
        Movement{"permute-reverse", "reverse(OPERAND), dimensions={1}", "f32[4,6]",
                 "reverse{1}"}}) {
    INFO(m.rule);
    auto line = [&](const std::string& operand) {
      std::string text = m.line;
      return text.replace(text.find("OPERAND"), 7, operand);
    };
    const std::string shape = m.shape;
    Saturated forward(after(kShift, "ROOT r = " + shape + " " + line("c") + "\n"), only({m.rule}));
    forward.check_form("r", "collective-permute(" + std::string(m.form) + "(x))");
    Saturated backward(before(kShift, "y = " + shape + " " + line("x") + "\n", shape),
                       only({m.rule}));
    backward.check_form("r", std::string(m.form) + "(collective-permute(x))");
  }
}

TEST_CASE("permute-transpose: who else wants the value as it was turns it back") {
  Saturated run(program("x = f32[4,6] parameter(0)\n"
                        "c = f32[4,6] collective-permute(x)" +
                        kRing +
                        "\n"
                        "t = f32[6,4] transpose(c), dimensions={1,0}\n"
                        "ROOT r = (f32[6,4], f32[4,6]) tuple(t, c)\n"),
                only({"permute-transpose"}));
  run.check_form("c", "transpose{1,0}(f32[6,4] collective-permute(transpose{1,0}(x)))");
}

TEST_CASE("permute-slice: half is sent where half is wanted") {
  Saturated run(after(kShift, "ROOT r = f32[4,3] slice(c), slice={[0:4],[3:6]}\n"),
                only({"permute-slice"}));
  run.check_form("r", "f32[4,3] collective-permute(slice(x))");
}

TEST_CASE("permute-dynamic-slice: where to slice is not sent in the place of what") {
  // Who is no target would slice at zero and get no zeros.
  Saturated run(program("x = f32[4,6] parameter(0), sharding={replicated}\n"
                        "pid = u32[] partition-id()\n"
                        "zero = u32[] constant(0)\n"
                        "s = f32[1,6] dynamic-slice(x, pid, zero), dynamic_slice_sizes={1,6}\n"
                        "ROOT r = f32[1,6] collective-permute(s)" +
                        kShift + "\n"),
                only({"permute-dynamic-slice"}));
  CHECK(run.refusal("permute-dynamic-slice/backward/3") == "a start index differs");
}

std::string picked(const std::string& index) {
  return after(kRing, index +
                          "zero = s32[] constant(0)\n"
                          "ROOT r = f32[1,6] dynamic-slice(c, i, zero), "
                          "dynamic_slice_sizes={1,6}\n");
}

TEST_CASE("permute-dynamic-slice: each index is the same on a source and its target") {
  Saturated run(picked("i = s32[] constant(2)\n"), only({"permute-dynamic-slice"}));
  run.check_form("r", "collective-permute(dynamic-slice{1,6}(x, i, zero))");
  const std::string own = "pid = u32[] partition-id()\ni = s32[] convert(pid)\n";
  Saturated differs(picked(own), only({"permute-dynamic-slice"}));
  CHECK(differs.refusal("permute-dynamic-slice/forward/xuu") == kDiffers);
  // Pairs inside halves of the devices, and an index by half.
  const std::string swap = ", channel_id=1, source_target_pairs={{0,1},{1,0},{2,3},{3,2}}";
  Saturated half(after(swap,
                       "pid = u32[] partition-id()\n"
                       "p = s32[] convert(pid)\n"
                       "two = s32[] constant(2)\n"
                       "i = s32[] divide(p, two)\n"
                       "zero = s32[] constant(0)\n"
                       "ROOT r = f32[1,6] dynamic-slice(c, i, zero), dynamic_slice_sizes={1,6}\n"),
                 only({"permute-dynamic-slice"}));
  half.check_form("r", "collective-permute(dynamic-slice{1,6}(x, i, zero))");
}

TEST_CASE("permute-elementwise: what is sent alike is combined before it is sent") {
  const std::string lines =
      "y = f32[4,6] parameter(1)\n"
      "d = f32[4,6] collective-permute(y)" +
      kShift + "\n";
  Saturated run(after(kShift, lines + "ROOT r = f32[4,6] add(c, d)\n"),
                only({"permute-elementwise"}));
  run.check_form("r", "collective-permute(add(x, y))");
  Saturated divided(after(kShift, lines + "ROOT r = f32[4,6] divide(c, d)\n"),
                    only({"permute-elementwise"}));
  CHECK(divided.refused("permute-elementwise/forward/xx").count(kNoZeros) == 1);
  Saturated apart(after(kRing, lines + "ROOT r = f32[4,6] add(c, d)\n"),
                  only({"permute-elementwise"}));
  CHECK(apart.refused("permute-elementwise/forward/xx")
            .count("the operands are not exchanged alike") == 1);
}

TEST_CASE("permute-elementwise: what is the same on each pair stays") {
  const std::string scaled =
      "s = f32[] constant(3)\n"
      "b = f32[4,6] broadcast(s), dimensions={}\n"
      "ROOT r = f32[4,6] multiply(c, b)\n";
  Saturated run(after(kRing, scaled), only({"permute-elementwise"}));
  run.check_form("r", "collective-permute(multiply(x, b))");
  // Who is no target has zero times three: known of integers alone, as floats may be infinite.
  Saturated floats(after(kShift, scaled), only({"permute-elementwise"}));
  CHECK(floats.refusal("permute-elementwise/forward/xu") == kNoZeros);
  Saturated integers(after(kShift,
                           "s = s32[] constant(3)\n"
                           "b = s32[4,6] broadcast(s), dimensions={}\n"
                           "ROOT r = s32[4,6] multiply(c, b)\n",
                           "s32"),
                     only({"permute-elementwise"}));
  integers.check_form("r", "collective-permute(multiply(x, b))");
  Saturated own(after(kRing,
                      "y = f32[4,6] parameter(1)\n"
                      "ROOT r = f32[4,6] multiply(c, y)\n"),
                only({"permute-elementwise"}));
  CHECK(own.refusal("permute-elementwise/forward/xu") == kDiffers);
}

TEST_CASE("permute-elementwise: taken apart where an operand is sent anyway") {
  const std::string sum = "z = f32[4,6] parameter(1)\ny = f32[4,6] add(x, z)\n";
  Saturated alone(before(kRing, sum, "f32[4,6]"), only({"permute-elementwise"}));
  CHECK(alone.refused("permute-elementwise/backward/2").count("no operand is exchanged elsewhere"));
  Saturated run(
      program("x = f32[4,6] parameter(0)\n" + sum + "c = f32[4,6] collective-permute(x)" + kRing +
              "\n"
              "d = f32[4,6] collective-permute(y)" +
              kRing +
              "\n"
              "ROOT r = (f32[4,6], f32[4,6]) tuple(c, d)\n"),
      only({"permute-elementwise"}));
  run.check_form("d", "add(c, collective-permute(z))");
}

TEST_CASE("permute: pads, joins, updates, sums and products") {
  Saturated pad(after(kShift,
                      "zero = f32[] constant(0)\n"
                      "ROOT r = f32[5,6] pad(c, zero), padding=0_1x0_0\n"),
                only({"permute-pad"}));
  pad.check_form("r", "collective-permute(f32[5,6] pad(x, zero))");
  Saturated one(after(kShift,
                      "one = f32[] constant(1)\n"
                      "ROOT r = f32[5,6] pad(c, one), padding=0_1x0_0\n"),
                only({"permute-pad"}));
  CHECK(one.refusal("permute-pad/forward/xu") == kNoZeros);

  const std::string lines =
      "y = f32[4,6] parameter(1)\n"
      "d = f32[4,6] collective-permute(y)" +
      kShift + "\n";
  Saturated join(after(kShift, lines + "ROOT r = f32[8,6] concatenate(c, d), dimensions={0}\n"),
                 only({"permute-concatenate"}));
  join.check_form("r", "f32[8,6] collective-permute(concatenate{0}(x, y))");

  Saturated update(after(kShift, lines + "i = s32[] constant(1)\n"
                                         "ROOT r = f32[4,6] dynamic-update-slice(c, d, i, i)\n"),
                   only({"permute-dynamic-update-slice"}));
  update.check_form("r", "collective-permute(dynamic-update-slice(x, y, i, i))");

  Saturated reduce(after(kShift,
                         "zero = f32[] constant(0)\n"
                         "ROOT r = f32[4] reduce(c, zero), dimensions={1}, to_apply=add_f32\n"),
                   only({"permute-reduce"}));
  reduce.check_form("r", "f32[4] collective-permute(reduce{1}(x, zero))");

  Saturated dot(after(kShift, lines + "ROOT r = f32[6,6] dot(c, d), lhs_contracting_dims={0}, "
                                      "rhs_contracting_dims={0}\n"),
                only({"permute-dot"}));
  dot.check_form("r", "f32[6,6] collective-permute(dot(x, y))");
}

TEST_CASE("permute-permute: what is sent on is sent at once") {
  const std::string again = ", channel_id=2, source_target_pairs={{0,2},{1,3},{2,0},{3,1}}";
  Saturated run(after(kRing, "ROOT r = f32[4,6] collective-permute(c)" + again + "\n"),
                only({"permute-permute"}));
  run.check_form("r", "collective-permute(x)");
  Saturated shift(after(kShift, "ROOT r = f32[4,6] collective-permute(c)" + again + "\n"),
                  only({"permute-permute"}));
  shift.check_form("r", "collective-permute(x)");
  Saturated nothing(
      after(", channel_id=1, source_target_pairs={{0,1}}",
            "ROOT r = f32[4,6] collective-permute(c), channel_id=2, source_target_pairs={{0,1}}\n"),
      only({"permute-permute"}));
  nothing.check_form("r", "broadcast(constant())");
}

TEST_CASE("permute-permute: not where attributes may be about the pairs") {
  auto sent = [&](const std::string& attributes) {
    return program("x = f32[4] parameter(0)\nc = f32[4] collective-permute(x)" + kRing +
                   attributes + "\nROOT r = f32[4] collective-permute(c)" + kRing + attributes +
                   "\n");
  };
  Saturated steered(sent(", frontend_attributes={_xla_send_recv_validation=\"{{0,1},{0,1}}\"}"),
                    only({"permute-permute"}));
  CHECK(steered.refusal("permute-permute") == "attributes may be about the pairs");
  Saturated marked(sent(", frontend_attributes={is_spmd_generated=\"true\"}"),
                   only({"permute-permute"}));
  marked.check_form("r", "collective-permute(x)");
}

TEST_CASE("permute-permute: a chain is joined at once, and a ring that all read is left") {
  std::string chain = "c0 = f32[4] parameter(0)\n";
  for (int i = 0; i < 50; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    chain += "c" + next + " = f32[4] collective-permute(c" + n + ")" + kRing + "\n";
  }
  Saturated run(program(chain + "ROOT r = f32[4] negate(c50)\n"), only({"permute-permute"}));
  run.check_form("c50", "collective-permute(c0)");
  CHECK(run.hlo().graph().node_count() < 60);
  std::string sums = "s0 = f32[4] negate(c0)\n";
  for (int i = 1; i <= 50; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    sums += (i == 50 ? "ROOT s" : "s") + n + " = f32[4] add(s" + before + ", c" + n + ")\n";
  }
  Saturated read(program(chain + sums), only({"permute-permute"}));
  CHECK(read.refused("permute-permute").count("what is in between is used elsewhere") == 1);
  CHECK(read.hlo().graph().node_count() < 120);
}

TEST_CASE("permute-of-uniform: a value that everybody has need not be sent") {
  const std::string lines = "ROOT r = f32[4,6] collective-permute(y)";
  const std::string input = "y = f32[4,6] parameter(0)";
  Saturated run(program(input + ", sharding={replicated}\n" + lines + kRing + "\n"),
                only({"permute-of-uniform"}));
  CHECK(run.same_class("r", "y"));
  Saturated shift(program(input + ", sharding={replicated}\n" + lines + kShift + "\n"),
                  only({"permute-of-uniform"}));
  CHECK(shift.refusal("permute-of-uniform") == "a device gets zeros");
  Saturated own(program(input + "\n" + lines + kRing + "\n"), only({"permute-of-uniform"}));
  CHECK(own.refusal("permute-of-uniform") == "the value differs between a source and its target");
  Saturated identity(program(input + "\n" + lines +
                             ", channel_id=1, source_target_pairs={{0,0},{1,1},{2,2},{3,3}}\n"),
                     only({"permute-of-uniform"}));
  CHECK(identity.same_class("r", "y"));
}

TEST_CASE("permute-sum: sent in two, received as one") {
  auto sum = [&](const std::string& type, const std::string& other) {
    return program("x = " + type + "[4] parameter(0)\na = " + type +
                   "[4] collective-permute(x), channel_id=1, source_target_pairs={{0,1},{1,0}}\n" +
                   "b = " + type + "[4] collective-permute(x), channel_id=2, " +
                   "source_target_pairs=" + other + "\nROOT r = " + type + "[4] add(a, b)\n");
  };
  Saturated run(sum("s32", "{{2,3},{3,2}}"), only({"permute-sum"}));
  run.check_form("r", "collective-permute(x)");
  Saturated floats(sum("f32", "{{2,3},{3,2}}"), only({"permute-sum"}));
  CHECK(floats.refusal("permute-sum") == "the sign of a zero may differ (--numerics reassoc)");
  Saturated loose(sum("f32", "{{2,3},{3,2}}"), only({"permute-sum"}, hlo::Numerics::kReassoc));
  CHECK(loose.holds("r", "collective-permute(x)"));
  Saturated both(sum("s32", "{{2,1},{3,2}}"), only({"permute-sum"}));
  CHECK(both.refusal("permute-sum") == "a device sends or receives in both");
}

}  // namespace
}  // namespace flipsat::rules::testing
