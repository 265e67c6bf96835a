// Converts around sums, max and min between devices: which may pass in which class.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify::testing;
using flipsat::hlo::Numerics;
using flipsat::verify::Options;

namespace {

Options in_class(Numerics numerics) {
  Options options;
  options.numerics = numerics;
  return options;
}

}  // namespace

TEST_CASE("max passes a widening convert, a sum does not") {
  auto before = [](const std::string& op) {
    return "x = bf16[8] parameter(0)\n"
           "ar = bf16[8] all-reduce(x), to_apply=" +
           op + "_bf16" + kAll +
           "\n"
           "ROOT c = f32[8] convert(ar)\n";
  };
  auto after = [](const std::string& op) {
    return "x = bf16[8] parameter(0)\n"
           "w = f32[8] convert(x)\n"
           "ROOT g = f32[8] all-reduce(w), to_apply=" +
           op + "_f32" + kAll + "\n";
  };
  CHECK(verdict(before("maximum"), after("maximum")) == "same");
  CHECK(verdict(before("minimum"), after("minimum")) == "same");
  CHECK(verdict(before("maximum"), after("minimum")) == "different");
  CHECK(verdict(before("add"), after("add")) == "different");
  CHECK(verdict(before("add"), after("add"), in_class(Numerics::kPrecise)) == "same");
  CHECK(verdict(before("multiply"), after("multiply")) == "different");
  for (Numerics numerics : {Numerics::kPrecise, Numerics::kReassoc}) {
    CHECK(verdict(before("multiply"), after("multiply"), in_class(numerics)) == "same");
    CHECK(verdict(before("multiply"), after("add"), in_class(numerics)) == "different");
    CHECK(verdict(before("add"), after("multiply"), in_class(numerics)) == "different");
    CHECK(verdict(after("multiply"), before("multiply"), in_class(numerics)) == "different");
  }
  // Never the other way round.
  CHECK(verdict(after("add"), before("add"), in_class(Numerics::kPrecise)) == "different");
  CHECK(verdict(after("add"), before("add"), in_class(Numerics::kReassoc)) == "different");
}

TEST_CASE("what was widened on the way is narrowed as if it had not been") {
  auto before =
      "x = f32[8] parameter(0)\n"
      "ar = f32[8] all-reduce(x), to_apply=minimum_f32" +
      kAll +
      "\n"
      "w = f64[8] convert(ar)\n"
      "ROOT c = bf16[8] convert(w)\n";
  auto after = [](const std::string& type) {
    return "x = f32[8] parameter(0)\n"
           "n = " +
           type +
           "[8] convert(x)\n"
           "m = bf16[8] convert(n)\n"
           "ROOT g = bf16[8] all-reduce(m), to_apply=minimum_bf16" +
           kAll + "\n";
  };
  CHECK(verdict(before, after("f32"), in_class(Numerics::kReassoc)) == "same");
  // Rounded twice.
  CHECK(verdict(before, after("f16"), in_class(Numerics::kReassoc)) == "different");
}

TEST_CASE("a sum may be made wider and rounded back") {
  auto before = [](const std::string& op) {
    return "x = bf16[8] parameter(0)\n"
           "ROOT ar = bf16[8] all-reduce(x), to_apply=" +
           op + "_bf16" + kAll + "\n";
  };
  auto after = [](const std::string& op, const std::string& back) {
    return "x = bf16[8] parameter(0)\n"
           "w = f32[8] convert(x)\n"
           "wide = f32[8] all-reduce(w), to_apply=" +
           op + "_f32" + kAll +
           "\n"
           "h = " +
           back +
           "[8] convert(wide)\n"
           "ROOT ar = bf16[8] convert(h)\n";
  };
  for (const std::string op : {"add", "multiply"}) {
    CHECK(verdict(before(op), after(op, "bf16")) == "different");
    for (Numerics numerics : {Numerics::kPrecise, Numerics::kReassoc}) {
      CHECK(verdict(before(op), after(op, "bf16"), in_class(numerics)) == "same");
      CHECK(verdict(before(op), after(op, "f16"), in_class(numerics)) == "different");
    }
  }
}

TEST_CASE("only named sites may be wider") {
  auto before =
      "x = bf16[8] parameter(0)\n"
      "ar = bf16[8] all-reduce(x), to_apply=add_bf16" +
      kAll +
      "\n"
      "ROOT c = f32[8] convert(ar)\n";
  auto after =
      "x = bf16[8] parameter(0)\n"
      "w = f32[8] convert(x)\n"
      "ROOT wide = f32[8] all-reduce(w), to_apply=add_f32" +
      kAll + "\n";
  Options options = in_class(Numerics::kPrecise);
  options.precise_sites = {"wide"};
  CHECK(verdict(before, after, options) == "same");
  options.precise_sites = {"narrow"};
  CHECK(verdict(before, after, options) == "different");
}

TEST_CASE("a wider sum is not the narrow one that the input was rounded to") {
  auto f8_sum =
      "x = f8e5m2[8] parameter(0)\n"
      "ar = f8e5m2[8] all-reduce(x), to_apply=add" +
      kAll +
      "\n"
      "ROOT c = f32[8] convert(ar)\n";
  auto bf16_sum =
      "x = f8e5m2[8] parameter(0)\n"
      "w = bf16[8] convert(x)\n"
      "g = bf16[8] all-reduce(w), to_apply=add_bf16" +
      kAll +
      "\n"
      "ROOT c = f32[8] convert(g)\n";
  std::string add =
      "add {\n  a = f8e5m2[] parameter(0)\n  b = f8e5m2[] parameter(1)\n"
      "  ROOT r = f8e5m2[] add(a, b)\n}\n";
  auto narrow = program(f8_sum, "num_partitions=4", add);
  auto wide = program(bf16_sum, "num_partitions=4", add);
  CHECK(verdict(narrow, wide, in_class(Numerics::kPrecise)) == "same");
  CHECK(verdict(wide, narrow, in_class(Numerics::kPrecise)) == "different");
}

// Of such a reducer HLO does not say in which type it runs.
TEST_CASE("a reducer left at the old type is not the reduction that it was") {
  CHECK(verdict("x = bf16[8] parameter(0)\n"
                "ar = bf16[8] all-reduce(x), to_apply=maximum_bf16" +
                    kAll +
                    "\n"
                    "ROOT c = f32[8] convert(ar)\n",
                "x = bf16[8] parameter(0)\n"
                "w = f32[8] convert(x)\n"
                "ROOT g = f32[8] all-reduce(w), to_apply=maximum_bf16" +
                    kAll + "\n") != "same");
}

TEST_CASE("a sum is not narrowed") {
  CHECK(verdict("x = f32[8] parameter(0)\n"
                "ar = f32[8] all-reduce(x), to_apply=add_f32" +
                    kAll +
                    "\n"
                    "ROOT c = bf16[8] convert(ar)\n",
                "x = f32[8] parameter(0)\n"
                "n = bf16[8] convert(x)\n"
                "ROOT g = bf16[8] all-reduce(n), to_apply=add_bf16" +
                    kAll + "\n",
                in_class(Numerics::kReassoc)) == "different");
}

TEST_CASE("an integer sum passes a truncating convert, not a widening one") {
  auto pair = [](const std::string& from, const std::string& to) {
    return verdict("x = " + from +
                       "[8] parameter(0)\n"
                       "ar = " +
                       from + "[8] all-reduce(x), to_apply=add_" + from + kAll +
                       "\n"
                       "ROOT c = " +
                       to + "[8] convert(ar)\n",
                   "x = " + from +
                       "[8] parameter(0)\n"
                       "n = " +
                       to +
                       "[8] convert(x)\n"
                       "ROOT g = " +
                       to + "[8] all-reduce(n), to_apply=add_" + to + kAll + "\n");
  };
  CHECK(pair("s32", "u32") == "same");
  CHECK(pair("s32", "f32") == "different");
}
