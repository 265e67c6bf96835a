// Gathers that leave their loop: where they do, where they do not, and that it is proved.
#include <string>

#include "optimizer/hoist.h"
#include "tests/optimizer/optimizing.h"

namespace flipsat::optimizer::testing {
namespace {

using hlo::Opcode;

const std::string kState = "(s32[], f32[256,64], f32[64,64])";

// A loop of `trips` iterations that adds what `gather` makes of w, called g, to a sum.
struct Loop {
  std::string trips = "5";
  std::string gather = "g = f32[256,64] all-gather(w), dimensions={0}" + kOverAll + "\n";
  std::string next_w = "w";
  std::string more_in_body;
  std::string after = "ROOT r = f32[256,64] get-tuple-element(l), index=1\n";
  std::string init = "s = " + kState + " tuple(zero, a, b)\n";
  std::string body_parameter = "p = " + kState + " parameter(0)\n";
  std::string more_computations;
  std::string more_in_entry;

  std::string text() const {
    return "HloModule m, num_partitions=4\n" + more_computations + "cond {\n  q = " + kState +
           " parameter(0)\n  i = s32[] get-tuple-element(q), index=0\n  n = s32[] constant(" +
           trips + ")\n  ROOT more = pred[] compare(i, n), direction=LT\n}\nbody {\n" +
           body_parameter +
           "i = s32[] get-tuple-element(p), index=0\n"
           "sum = f32[256,64] get-tuple-element(p), index=1\n"
           "w = f32[64,64] get-tuple-element(p), index=2\n"
           "one = s32[] constant(1)\n"
           "j = s32[] add(i, one)\n" +
           gather + more_in_body +
           "t = f32[256,64] tanh(sum)\n"
           "u = f32[256,64] add(t, g)\n"
           "ROOT o = " +
           kState + " tuple(j, u, " + next_w +
           ")\n}\n"
           "ENTRY main {\n"
           "a = f32[256,64] parameter(0)\n"
           "b = f32[64,64] parameter(1)\n"
           "zero = s32[] constant(0)\n" +
           init + more_in_entry + "l = " + kState + " while(s), condition=cond, body=body\n" +
           after + "}\n";
  }
};

Options hoisting() {
  Options options;
  options.hoist = true;
  return options;
}

TEST_CASE("hoist: a gather of what stays the same leaves the loop, and is launched once") {
  const Optimized out(Loop().text(), hoisting());
  CHECK(out.rules() == std::vector<std::string>{"hoist"});
  CHECK(out.result.origin == Origin::kEGraph);
  CHECK(out.result.input_cost.executed.launches == 5);
  CHECK(out.result.output_cost.executed.launches == 1);
  CHECK(out.result.output_cost.time < out.result.input_cost.time);
  const hlo::Instruction& gather = out.one(Opcode::kAllGather);
  CHECK(gather.computation == out.output.entry);
  CHECK(gather.channel_id() == 1);
  CHECK(to_string_without_layout(out.one(Opcode::kWhile).shape) ==
        "(s32[], f32[256,64], f32[64,64], f32[256,64])");
  REQUIRE(out.result.changes.size() == 1);
  const Change& change = out.result.changes[0];
  CHECK(change.at == "%g");
  CHECK(change.computation == "body");
  CHECK(change.to == std::vector<std::string>{"%" + gather.name});
  CHECK(change.time_before == 5 * change.time_after);
  check_equal(out);
}

TEST_CASE("hoist: what lies between the element and its gather comes along") {
  Loop loop;
  loop.gather =
      "h = bf16[64,64] convert(w)\nv = bf16[64,64] transpose(h), dimensions={1,0}\n"
      "gh = bf16[64,256] all-gather(v), dimensions={1}" +
      kOverAll +
      "\n"
      "gt = bf16[256,64] transpose(gh), dimensions={1,0}\n"
      "g = f32[256,64] convert(gt)\n";
  const Optimized out(loop.text(), hoisting());
  CHECK(out.one(Opcode::kAllGather).computation == out.output.entry);
  check_equal(out);
}

TEST_CASE("hoist: a gather leaves all the loops that its operand stays the same in") {
  Loop loop;
  loop.more_computations =
      "cond.inner {\n  q = " + kState +
      " parameter(0)\n  i = s32[] get-tuple-element(q), index=0\n  n = s32[] constant(3)\n"
      "  ROOT more = pred[] compare(i, n), direction=LT\n}\nbody.inner {\n  p = " +
      kState +
      " parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n"
      "  sum = f32[256,64] get-tuple-element(p), index=1\n"
      "  w = f32[64,64] get-tuple-element(p), index=2\n"
      "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
      "  g.inner = f32[256,64] all-gather(w), dimensions={0}" +
      kOverAll + "\n  u = f32[256,64] add(sum, g.inner)\n  ROOT o = " + kState +
      " tuple(j, u, w)\n}\n";
  loop.gather = "zero.1 = s32[] constant(0)\ns.1 = " + kState +
                " tuple(zero.1, sum, w)\nl.1 = " + kState +
                " while(s.1), condition=cond.inner, body=body.inner\n"
                "g = f32[256,64] get-tuple-element(l.1), index=1\n";
  const Optimized out(loop.text(), hoisting());
  CHECK(out.one(Opcode::kAllGather).computation == out.output.entry);
  CHECK(out.result.input_cost.executed.launches == 15);
  CHECK(out.result.output_cost.executed.launches == 1);
  REQUIRE(out.result.changes.size() == 1);
  CHECK(out.result.changes[0].at == "%g.inner");
  CHECK(out.result.changes[0].time_before == 15 * out.result.changes[0].time_after);
  check_equal(out);
}

TEST_CASE("hoist: off by default") { CHECK(Optimized(Loop().text()).is_unchanged()); }

TEST_CASE("hoist: where the loop does not allow it, nothing changes") {
  Loop loop;
  std::string why;
  SECTION("it runs once") { loop.trips = "1"; }
  SECTION("nobody knows how often it runs") {
    loop.init = "";
    loop.more_in_entry =
        "start = u32[] partition-id()\nfirst = s32[] convert(start)\ns = " + kState +
        " tuple(first, a, b)\n";
  }
  SECTION("the operand changes") {
    loop.more_in_body = "x = f32[64,64] negate(w)\n";
    loop.next_w = "x";
  }
  SECTION("the operand is computed by more than data movement and converts") {
    loop.gather =
        "y = f32[64,64] add(w, w)\ng = f32[256,64] all-gather(y), dimensions={0}" + kOverAll + "\n";
  }
  SECTION("the layout is constrained") {
    loop.gather =
        "g = f32[256,64] all-gather(w), dimensions={0}" + kOverAll + ", constrain_layout=true\n";
  }
  SECTION("a control dependency") {
    loop.gather =
        "g = f32[256,64] all-gather(w), dimensions={0}" + kOverAll + ", control-predecessors={j}\n";
  }
  SECTION("the state is the result as a whole") {
    loop.after = "ROOT r = " + kState + " tuple(zero, a, b)\nc = " + kState + " copy(l)\n";
  }
  SECTION("the body reads its state as a whole") {
    loop.gather = "k = " + kState +
                  " opt-barrier(p)\nw.1 = f32[64,64] get-tuple-element(k), index=2\n"
                  "g = f32[256,64] all-gather(w), dimensions={0}" +
                  kOverAll + "\n";
    loop.more_in_body = "x = f32[64,64] add(w.1, w.1)\n";
  }
  SECTION("the first state is no tuple instruction") {
    loop.init = "s.0 = " + kState + " tuple(zero, a, b)\ns = " + kState + " opt-barrier(s.0)\n";
  }
  SECTION("the first state has other users") {
    loop.after = "ROOT r = (" + kState + ") tuple(s)\n";
  }
  SECTION("another loop has the same body") {
    loop.more_in_entry = "s.2 = " + kState + " tuple(zero, a, b)\n" + "l.2 = " + kState +
                         " while(s.2), condition=cond, body=body\n";
    loop.after =
        "r.1 = f32[256,64] get-tuple-element(l), index=1\n"
        "r.2 = f32[256,64] get-tuple-element(l.2), index=1\n"
        "ROOT r = f32[256,64] add(r.1, r.2)\n";
  }
  SECTION("shardings of the elements") {
    loop.body_parameter =
        "p = " + kState + " parameter(0), sharding={{replicated}, {replicated}, {replicated}}\n";
  }
  const hlo::Module module = frontends::read_text(loop.text(), "in.hlo");
  CHECK_FALSE(
      hoist_gathers(module, hlo::infer_device_counts(module, {}), extract::machine_preset("trn2")));
}

TEST_CASE("hoist: --max-peak-growth and --min-gain count from the input") {
  // What the body holds most of is gone before it gathers.
  Loop loop;
  loop.gather =
      "big = f32[1024,64] concatenate(sum, sum, sum, sum), dimensions={0}\n"
      "y = f32[256,64] slice(big), slice={[128:384], [0:64]}\n"
      "g.0 = f32[256,64] all-gather(w), dimensions={0}" +
      kOverAll + "\ng = f32[256,64] add(g.0, y)\n";
  const std::string text = loop.text();
  const Optimized free(text, hoisting());
  const double growth = 100 * (static_cast<double>(free.result.output_cost.peak_bytes) /
                                   static_cast<double>(free.result.input_cost.peak_bytes) -
                               1);
  REQUIRE(growth > 0);
  Options options = hoisting();
  options.max_peak_growth = growth + 0.1;
  CHECK(Optimized(text, options).text == free.text);
  options.max_peak_growth = growth - 0.1;
  const Optimized bounded(text, options);
  CHECK(bounded.is_unchanged());
  CHECK(bounded.notes_say("--max-peak-growth"));
  options.max_peak_growth.reset();
  options.min_gain = 99;
  CHECK(Optimized(text, options).is_unchanged());
}

TEST_CASE("hoist: the verifier tells a wrong move from a right one") {
  Loop loop;
  loop.more_in_body = "x = f32[64,64] negate(w)\n";
  const std::string before = loop.text();
  const std::string right = Optimized(before, hoisting()).text;
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
  };
  const auto verdict = [](const std::string& left, const std::string& other) {
    return verify::compare(frontends::read_text(left, "in.hlo"),
                           frontends::read_text(other, "out.hlo"), {})
        .verdict;
  };
  const size_t at = right.find("tuple(j, u, w, ");
  REQUIRE(at != right.npos);
  const std::string next = right.substr(at, right.find(')', at) - at);
  CHECK(verdict(before, right) == verify::Verdict::kSame);
  // Other data is gathered.
  CHECK(verdict(before, with(right, "{{0,1,2,3}}", "{{1,0,2,3}}")) != verify::Verdict::kSame);
  // The new element changes.
  CHECK(verdict(before, with(right, next, "tuple(j, u, w, u")) != verify::Verdict::kSame);
  // The element that is gathered changes.
  const std::string changing = with(before, "tuple(j, u, w)", "tuple(j, u, x)");
  const std::string wrong = with(right, "tuple(j, u, w, ", "tuple(j, u, x, ");
  CHECK(verdict(changing, wrong) != verify::Verdict::kSame);
  CHECK(verdict(changing, right) != verify::Verdict::kSame);
}

}  // namespace
}  // namespace flipsat::optimizer::testing
