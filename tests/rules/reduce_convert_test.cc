// convert(R(x)) and R'(convert(x)): the whole table of hlo/reduce_convert.h.
#include <functional>
#include <sstream>

#include "tests/catch.h"
#include "tests/rules/fixture.h"

namespace flipsat::rules::testing {
namespace {

using hlo::Numerics;

std::string convert_of_reduced(const std::string& reducer, const std::string& from,
                               const std::string& to) {
  return program("x = " + from +
                 "[6] parameter(0)\n"
                 "s = " +
                 from + "[6] all-reduce(x), to_apply=" + reducer + "_" + from + kOverAll +
                 "\n"
                 "ROOT r = " +
                 to + "[6] convert(s)\n");
}

std::string reduced_convert(const std::string& reducer, const std::string& from,
                            const std::string& to) {
  return program("x = " + from +
                 "[6] parameter(0)\n"
                 "c = " +
                 to +
                 "[6] convert(x)\n"
                 "ROOT r = " +
                 to + "[6] all-reduce(c), to_apply=" + reducer + "_" + to + kOverAll + "\n");
}

struct Row {
  std::string reducers, from, to;
};

void for_each(const std::vector<Row>& rows,
              const std::function<void(const std::string&, const Row&)>& check) {
  for (const Row& row : rows) {
    std::istringstream list(row.reducers);
    for (std::string reducer; list >> reducer;) {
      INFO(reducer << " " << row.from << " to " << row.to);
      check(reducer, row);
    }
  }
}

const std::string kOutward = "reduce-convert/forward/all-reduce";
const std::string kInward = "reduce-convert/backward/all-reduce";
const std::string kNotBefore = "reducing before the convert is not the same";

// Both sides are one value: a union, and the same bits.
const std::vector<Row> kEqual = {
    {"maximum minimum", "bf16", "f32"}, {"maximum minimum", "f8e5m2", "f16"},
    {"maximum minimum", "f32", "f64"},  {"maximum minimum", "s8", "s32"},
    {"maximum minimum", "u8", "s16"},   {"maximum minimum", "u8", "f32"},
    {"maximum minimum", "s32", "f32"},  {"maximum minimum", "s32", "bf16"},
    {"maximum minimum", "u32", "f16"},  {"add multiply", "s32", "s8"},
    {"add multiply", "s32", "u32"},     {"add multiply", "u16", "s16"},
    {"add multiply", "u32", "u8"},      {"add multiply", "s64", "s32"},
};

TEST_CASE(
    "reduce-convert: a sum that stops at the largest value is not made in a type that overflows") {
  // Three sixes: 6 in f4e2m1fn, infinity in f8e3m4.
  Saturated run(program("x = f4e2m1fn[8] parameter(0)\n"
                        "s = f4e2m1fn[8] all-reduce(x), to_apply=add_f4e2m1fn" +
                        kOverAll + "\nROOT r = f8e3m4[8] convert(s)\n"),
                only({"reduce-convert"}, hlo::Numerics::kPrecise));
  CHECK(run.refusal("reduce-convert") == "a sum in this type saturates");
  CHECK_FALSE(run.refines_to("r", "all-reduce(_)"));
}

TEST_CASE("reduce-convert: equal in every class, where order or the modulus is kept") {
  for_each(kEqual, [](const std::string& reducer, const Row& row) {
    Saturated run(convert_of_reduced(reducer, row.from, row.to), only({"reduce-convert"}));
    const std::string form = row.to + "[6] all-reduce(convert(x))";
    REQUIRE(run.holds("r", form));
    hlo::Reducer rebuilt = run.reducer("r", form);
    CHECK(hlo::to_string(rebuilt.type) == row.to);
    run.check_form("r", form);
  });
}

TEST_CASE("reduce-convert: going back to the narrower or wider side, where both are equal") {
  for_each(kEqual, [](const std::string& reducer, const Row& row) {
    Saturated run(reduced_convert(reducer, row.from, row.to), only({"reduce-convert"}));
    const std::string form = "convert(" + row.from + "[6] all-reduce(x))";
    REQUIRE(run.holds("r", form));
    run.check_form("r", form);
  });
}

TEST_CASE("reduce-convert: and, or of predicates are minimum, maximum of numbers") {
  for (std::string to : {"s32", "f32", "u8", "bf16"}) {
    for (std::string pair : {"and minimum", "or maximum"}) {
      std::string logic = pair.substr(0, pair.find(' ')), order = pair.substr(pair.find(' ') + 1);
      INFO(logic << " to " << to);
      auto kind = order == "minimum" ? hlo::ReducerKind::kMinimum : hlo::ReducerKind::kMaximum;
      Saturated out(convert_of_reduced(logic, "pred", to), only({"reduce-convert"}));
      REQUIRE(out.holds("r", "all-reduce(convert(x))"));
      CHECK(out.reducer("r", "all-reduce(convert(x))").kind == kind);
      out.check_form("r", "all-reduce(convert(x))");

      Saturated in(reduced_convert(order, "pred", to), only({"reduce-convert"}));
      REQUIRE(in.holds("r", "convert(pred[6] all-reduce(x))"));
      in.check_form("r", "convert(pred[6] all-reduce(x))");
    }
  }
}

const std::vector<Row> kMorePrecise = {{"add multiply", "bf16", "f32"},
                                       {"add multiply", "f8e4m3fn", "bf16"},
                                       {"add multiply", "f16", "f64"}};

TEST_CASE("reduce-convert: a wider sum is another, better value: refused in exact") {
  for_each(kMorePrecise, [](const std::string& reducer, const Row& row) {
    Saturated run(convert_of_reduced(reducer, row.from, row.to), only({"reduce-convert"}));
    CHECK(run.refusal(kOutward) == "a wider sum is more precise, not equal (--numerics precise)");
    CHECK_FALSE(run.holds("r", "all-reduce(_)"));
    CHECK_FALSE(run.refines_to("r", "all-reduce(_)"));
  });
}

TEST_CASE("reduce-convert: in precise the wider sum is an edge away and never a union") {
  for_each(kMorePrecise, [](const std::string& reducer, const Row& row) {
    Saturated run(convert_of_reduced(reducer, row.from, row.to),
                  only({"reduce-convert"}, Numerics::kPrecise));
    CHECK(run.refines_to("r", row.to + "[6] all-reduce(convert(x))"));
    CHECK_FALSE(run.holds("r", "all-reduce(_)"));
  });
}

TEST_CASE("reduce-convert: a wide sum is never narrowed, in any class") {
  for (Numerics numerics :
       {Numerics::kExact, Numerics::kPrecise, Numerics::kReassoc, Numerics::kFast}) {
    for_each(kMorePrecise, [&](const std::string& reducer, const Row& row) {
      Saturated run(reduced_convert(reducer, row.from, row.to), only({"reduce-convert"}, numerics));
      CHECK(run.refusal(kInward) == kNotBefore);
      CHECK_FALSE(run.holds("r", "convert(_)"));
      CHECK_FALSE(run.refines_to("r", "convert(_)"));
    });
  }
}

TEST_CASE("reduce-convert: narrowing order-kept floats waits for reassoc") {
  const std::vector<Row> rows = {{"maximum minimum", "f32", "bf16"},
                                 {"maximum minimum", "f32", "f16"},
                                 {"maximum minimum", "f16", "f8e5m2"}};
  for_each(rows, [](const std::string& reducer, const Row& row) {
    const std::string text = convert_of_reduced(reducer, row.from, row.to);
    for (Numerics numerics : {Numerics::kExact, Numerics::kPrecise}) {
      Saturated run(text, only({"reduce-convert"}, numerics));
      CHECK(run.refusal(kOutward) ==
            "the sign of an underflowed zero may differ (--numerics reassoc)");
    }
    Saturated run(text, only({"reduce-convert"}, Numerics::kReassoc));
    CHECK(run.holds("r", "all-reduce(convert(x))"));
    Saturated back(reduced_convert(reducer, row.from, row.to),
                   only({"reduce-convert"}, Numerics::kReassoc));
    CHECK(back.refusal(kInward) == kNotBefore);
  });
}

TEST_CASE("reduce-convert: never, each with its reason") {
  const std::string order = "the convert does not keep the order of values";
  const std::string narrower = "the sum would be made in a narrower type";
  const std::string wraps = "a wider integer does not wrap where the narrow sum did";
  const std::string rounds = "rounding between integer and float does not commute with a sum";
  const std::vector<std::pair<Row, std::string>> rows = {
      {{"maximum minimum", "f32", "f8e4m3fn"}, order},
      {{"maximum minimum", "f32", "f8e4m3fnuz"}, order},
      {{"maximum minimum", "s32", "f8e4m3fn"}, order},
      {{"maximum minimum", "f32", "s32"}, order},
      {{"maximum minimum", "s32", "s8"}, order},
      {{"maximum minimum", "s32", "u32"}, order},
      {{"maximum minimum", "s8", "u32"}, order},
      {{"add multiply", "s8", "s32"}, wraps},
      {{"add multiply", "u8", "u64"}, wraps},
      {{"add multiply", "f32", "bf16"}, narrower},
      {{"add multiply", "f16", "bf16"}, narrower},
      {{"add multiply", "bf16", "f16"}, narrower},
      {{"add multiply", "f32", "s32"}, rounds},
      {{"add multiply", "s32", "f32"}, rounds},
      {{"add multiply", "s8", "f64"}, rounds},
      {{"add multiply maximum minimum", "s32", "pred"}, "a convert to pred"},
      {{"add multiply maximum minimum", "f32", "pred"}, "a convert to pred"},
      {{"add multiply", "f32", "c64"}, "complex values"},
  };
  for (Numerics numerics : {Numerics::kExact, Numerics::kReassoc}) {
    for (const auto& [row, reason] : rows) {
      for_each({row}, [&](const std::string& reducer, const Row& types) {
        Saturated run(convert_of_reduced(reducer, types.from, types.to),
                      only({"reduce-convert"}, numerics));
        CHECK(run.refusal(kOutward) == reason);
        CHECK_FALSE(run.holds("r", "all-reduce(_)"));
        CHECK_FALSE(run.refines_to("r", "all-reduce(_)"));
      });
    }
  }
}

TEST_CASE("reduce-convert: reduce-scatters alike, in their dim") {
  Saturated out(program("x = s32[3,8] parameter(0)\n"
                        "s = s32[3,2] reduce-scatter(x), to_apply=add_s32, dimensions={1}" +
                        kOverAll +
                        "\n"
                        "ROOT r = s16[3,2] convert(s)\n"),
                only({"reduce-convert"}));
  out.check_form("r", "reduce-scatter{1}(s16[3,8] convert(x))");

  Saturated in(program("x = u8[3,8] parameter(0)\n"
                       "c = f32[3,8] convert(x)\n"
                       "ROOT r = f32[3,2] reduce-scatter(c), to_apply=maximum_f32, "
                       "dimensions={1}" +
                       kOverAll + "\n"),
               only({"reduce-convert"}));
  in.check_form("r", "convert(u8[3,2] reduce-scatter{1}(x))");

  Saturated wide(program("x = bf16[3,8] parameter(0)\n"
                         "s = bf16[3,2] reduce-scatter(x), to_apply=add_bf16, dimensions={1}" +
                         kOverAll +
                         "\n"
                         "ROOT r = f32[3,2] convert(s)\n"),
                 only({"reduce-convert"}, Numerics::kPrecise));
  CHECK(wide.refines_to("r", "reduce-scatter{1}(convert(x))"));
  CHECK_FALSE(wide.holds("r", "reduce-scatter{1}(_)"));
}

TEST_CASE("reduce-convert: two narrow sums with one wide refinement stay two values") {
  // x in f8. Both may be replaced by the f32 sum; neither by the other.
  Saturated run(program("x = f8e5m2[6] parameter(0)\n"
                        "x16 = bf16[6] convert(x)\n"
                        "s16 = bf16[6] all-reduce(x16), to_apply=add_bf16" +
                        kOverAll +
                        "\n"
                        "a = f32[6] convert(s16)\n"
                        "s8 = f8e5m2[6] all-reduce(x), to_apply=add_f8e5m2" +
                        kOverAll +
                        "\n"
                        "b = f32[6] convert(s8)\n"
                        "ROOT t = (f32[6], f32[6]) tuple(a, b)\n"),
                only({"reduce-convert", "convert-convert"}, Numerics::kPrecise));
  CHECK(run.refines_to("a", "all-reduce(f32[6] convert(x))"));
  CHECK(run.refines_to("b", "all-reduce(f32[6] convert(x))"));
  CHECK_FALSE(run.same_class("a", "b"));
  CHECK_FALSE(run.same_class("s16", "s8"));
  CHECK_FALSE(run.holds("a", "convert(s8)"));
  CHECK_FALSE(run.refines_to("a", "convert(s8)"));
  CHECK_FALSE(run.refines_to("a", "convert(f8e5m2[6] all-reduce(_))"));
  CHECK_FALSE(run.refines_to("b", "convert(bf16[6] all-reduce(_))"));
}

}  // namespace
}  // namespace flipsat::rules::testing
