// What programs do outside: it is no value, and still has to be the same.
#include <cmath>

#include "tests/catch.h"
#include "tests/verify/programs.h"
#include "verify/field.h"

namespace flipsat::verify::testing {
namespace {

Verdict verdict_of(const std::string& before, const std::string& after) {
  return compare(frontends::read_text(before, "before"), frontends::read_text(after, "after"), {})
      .verdict;
}

// f sends its parameter out; the entry's lines call it, or not.
std::string with_outfeed(const std::string& lines) {
  return "HloModule m, num_partitions=2\n\n"
         "f {\n  p = f32[4] parameter(0)\n  t = token[] after-all()\n"
         "  o = token[] outfeed(p, t), outfeed_shape=f32[4]\n  ROOT n = f32[4] negate(p)\n}\n\n"
         "g {\n  p = f32[4] parameter(0)\n  ROOT n = f32[4] negate(p)\n}\n\n"
         "ENTRY main {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n" +
         lines + "  ROOT r = f32[4] add(x, y)\n}\n";
}

const std::string kCall = "  c = f32[4] call(x), to_apply=f\n";

TEST_CASE("effects: of called computations count though nobody reads the call", "[effects]") {
  CHECK(verdict_of(with_outfeed(kCall), with_outfeed(kCall)) == Verdict::kSame);
  const std::string others[] = {
      "",
      "  c = f32[4] call(y), to_apply=f\n",
      "  c = f32[4] call(x), to_apply=g\n",
      kCall + "  d = f32[4] call(x), to_apply=f\n",
  };
  for (const std::string& other : others) {
    INFO(other);
    CHECK(verdict_of(with_outfeed(kCall), with_outfeed(other)) != Verdict::kSame);
    CHECK(verdict_of(with_outfeed(other), with_outfeed(kCall)) != Verdict::kSame);
  }
}

TEST_CASE("effects: which branch acts is decided by the predicate", "[effects]") {
  const auto branch = [](const std::string& value) {
    return "  c = pred[] constant(" + value +
           ")\n  k = f32[4] conditional(c, x, x), true_computation=f, false_computation=g\n";
  };
  CHECK(verdict_of(with_outfeed(branch("true")), with_outfeed(branch("true"))) == Verdict::kSame);
  CHECK(verdict_of(with_outfeed(branch("true")), with_outfeed(branch("false"))) != Verdict::kSame);
}

TEST_CASE("effects: an operand may be rewritten, if it is the same value", "[effects]") {
  const std::string before =
      "  n = f32[4] negate(x)\n  m = f32[4] add(n, y)\n  c = f32[4] call(m), to_apply=f\n";
  const std::string after =
      "  n.1 = f32[4] negate(x)\n  m = f32[4] add(y, n.1)\n  c = f32[4] call(m), to_apply=f\n";
  CHECK(verdict_of(with_outfeed(before), with_outfeed(after)) == Verdict::kSame);
}

TEST_CASE("effects: a random state that is advanced once more is another one", "[effects]") {
  const std::string once = "  a = u64[1] rng-get-and-update-state(), delta=1\n";
  CHECK(verdict_of(with_outfeed(once), with_outfeed(once)) == Verdict::kSame);
  CHECK(verdict_of(with_outfeed(once), with_outfeed("")) == Verdict::kDifferent);
}

TEST_CASE("effects: the channel of a transfer says which one it is", "[effects]") {
  const auto send = [](const std::string& first, const std::string& second) {
    return "  t = token[] after-all()\n"
           "  s = (f32[4], u32[], token[]) send(x, t), channel_id=" +
           first + ", is_host_transfer=true\n  sd = token[] send-done(s), channel_id=" + first +
           ", is_host_transfer=true\n  u = (f32[4], u32[], token[]) send(y, t), channel_id=" +
           second + ", is_host_transfer=true\n  ud = token[] send-done(u), channel_id=" + second +
           ", is_host_transfer=true\n";
  };
  CHECK(verdict_of(with_outfeed(send("1", "2")), with_outfeed(send("1", "2"))) == Verdict::kSame);
  CHECK(verdict_of(with_outfeed(send("1", "2")), with_outfeed(send("2", "1"))) != Verdict::kSame);
}

TEST_CASE("effects: programs on other numbers of devices are other programs", "[effects]") {
  const auto on = [](const std::string& devices) {
    return "HloModule m, " + devices +
           "\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
           "  ROOT c = f32[] add(a, b)\n}\n\n"
           "ENTRY main {\n  x = f32[4] parameter(0)\n"
           "  ROOT s = f32[4] all-reduce(x), replica_groups={}, to_apply=add\n}\n";
  };
  CHECK(verdict_of(on("replica_count=2"), on("replica_count=2")) == Verdict::kSame);
  CHECK(verdict_of(on("replica_count=2"), on("replica_count=4")) == Verdict::kDifferent);
  CHECK(verdict_of(on("replica_count=2"), on("num_partitions=2")) == Verdict::kDifferent);
}

TEST_CASE("field: powers of two are elements of their own", "[effects]") {
  for (int exponent = 1; exponent <= 300; ++exponent) {
    CHECK(field::element(Term::real(std::ldexp(1.0, exponent))) != 1);
    CHECK(field::element(Term::real(std::ldexp(1.0, -exponent))) != 1);
    CHECK(field::multiply(field::element(Term::real(std::ldexp(1.0, exponent))),
                          field::element(Term::real(std::ldexp(1.0, -exponent)))) == 1);
  }
}

}  // namespace
}  // namespace flipsat::verify::testing
