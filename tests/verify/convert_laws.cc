// Converts between integers, floats and pred: which operations they pass, by all pairs of types, and
// which chains of them say nothing. Where no law is named, numbers are the judge.
#include <functional>

#include "hlo/reduce_convert.h"
#include "tests/catch.h"
#include "tests/verify/programs.h"
#include "verify/numbers.h"

using namespace flipsat::verify::testing;
using flipsat::hlo::convert_after_reduce;
using flipsat::hlo::convert_preserves_values;
using flipsat::hlo::ConvertThroughReduce;
using flipsat::hlo::ElementType;
using flipsat::hlo::Module;
using flipsat::hlo::Numerics;
using flipsat::hlo::ReduceConvert;
using flipsat::hlo::Reducer;
using flipsat::hlo::ReducerKind;
using flipsat::verify::Options;

namespace {

using Type = ElementType;

constexpr Type kTypes[] = {Type::kPred, Type::kS4,  Type::kU4,      Type::kS8,     Type::kU8,
                           Type::kS16,  Type::kU16, Type::kS32,     Type::kU32,    Type::kS64,
                           Type::kU64,  Type::kF16, Type::kBF16,    Type::kF32,    Type::kF64,
                           Type::kF8E5M2, Type::kF8E4M3FN, Type::kF8E4M3FNUZ};
constexpr ReducerKind kKinds[] = {ReducerKind::kAdd,     ReducerKind::kMultiply,
                                  ReducerKind::kMaximum, ReducerKind::kMinimum,
                                  ReducerKind::kAnd,     ReducerKind::kOr};

std::string name(Type type) { return std::string(to_string(type)); }

std::string name(ReducerKind kind) {
  switch (kind) {
    case ReducerKind::kAdd:
      return "add";
    case ReducerKind::kMultiply:
      return "multiply";
    case ReducerKind::kMaximum:
      return "maximum";
    case ReducerKind::kMinimum:
      return "minimum";
    case ReducerKind::kAnd:
      return "and";
    case ReducerKind::kOr:
      return "or";
  }
  return "";
}

ReducerKind another(ReducerKind kind) {
  switch (kind) {
    case ReducerKind::kAdd:
      return ReducerKind::kMultiply;
    case ReducerKind::kMultiply:
      return ReducerKind::kAdd;
    case ReducerKind::kMaximum:
      return ReducerKind::kMinimum;
    case ReducerKind::kMinimum:
      return ReducerKind::kMaximum;
    case ReducerKind::kAnd:
      return ReducerKind::kOr;
    case ReducerKind::kOr:
      return ReducerKind::kAnd;
  }
  return kind;
}

// The ways to combine values: over devices, over elements, of two values.
enum class Way { kAllReduce, kReduceScatter, kReduce, kBinary };
constexpr Way kWays[] = {Way::kAllReduce, Way::kReduceScatter, Way::kReduce, Way::kBinary};

std::string combined(Way way, const std::string& result, ReducerKind kind, Type type,
                     const std::string& x, const std::string& y) {
  std::string t = name(type);
  switch (way) {
    case Way::kAllReduce:
      return result + " = " + t + "[4,3] all-reduce(" + x + "), to_apply=reducer" + kAll + "\n";
    case Way::kReduceScatter:
      return result + " = " + t + "[1,3] reduce-scatter(" + x + "), dimensions={0}" +
             ", to_apply=reducer" + kAll + "\n";
    case Way::kReduce:
      return result + " = " + t + "[4] reduce(" + x + ", " + y +
             "), dimensions={1}, to_apply=reducer\n";
    case Way::kBinary:
      return result + " = " + t + "[4,3] " + name(kind) + "(" + x + ", " + y + ")\n";
  }
  return "";
}

std::string reducer_of(ReducerKind kind, Type type) {
  std::string t = name(type) + "[]";
  return "reducer {\n  a = " + t + " parameter(0)\n  b = " + t + " parameter(1)\n  ROOT r = " + t +
         " " + name(kind) + "(a, b)\n}\n";
}

std::string dims_of(Way way) {
  if (way == Way::kReduceScatter) return "[1,3]";
  return way == Way::kReduce ? "[4]" : "[4,3]";
}

std::string parameters(Way way, Type type) {
  return "x = " + name(type) + "[4,3] parameter(0)\ny = " + name(type) +
         (way == Way::kReduce ? "[]" : "[4,3]") + " parameter(1)\n";
}

Module convert_of_reduced(Way way, const Reducer& reducer, Type to) {
  return program(parameters(way, reducer.type) +
                     combined(way, "r", reducer.kind, reducer.type, "x", "y") +
                     "ROOT c = " + name(to) + dims_of(way) + " convert(r)\n",
                 "num_partitions=4", reducer_of(reducer.kind, reducer.type));
}

// The reducer's own type may be another than the data's.
Module reduced_convert(Way way, Type from, ReducerKind kind, Type to, Type reducer) {
  return program(parameters(way, from) + "cx = " + name(to) + "[4,3] convert(x)\ncy = " + name(to) +
                     (way == Way::kReduce ? "[]" : "[4,3]") + " convert(y)\n" +
                     combined(way, "ROOT c", kind, to, "cx", "cy"),
                 "num_partitions=4", reducer_of(kind, reducer));
}

// Do some numbers tell the programs apart?
bool numbers_differ(const Module& before, const Module& after, uint64_t trials = 12) {
  for (uint64_t seed = 1; seed <= trials; ++seed) {
    flipsat::verify::NumberOptions options;
    options.seed = seed;
    options.special_values = seed % 2 == 0;
    if (compare_on_numbers(before, after, options).differing > 0) return true;
  }
  return false;
}

Options in_class(Numerics numerics) {
  Options options;
  options.numerics = numerics;
  return options;
}

void for_each_row(const std::function<void(Way, const Reducer&, Type, const ReduceConvert&)>& check) {
  for (Way way : kWays) {
    for (ReducerKind kind : kKinds) {
      for (Type from : kTypes) {
        bool bits = kind == ReducerKind::kAnd || kind == ReducerKind::kOr;
        if (bits && is_float(from)) continue;
        if (!bits && from == Type::kPred) continue;
        for (Type to : kTypes) {
          if (to == from) continue;
          INFO(static_cast<int>(way) << " " << name(kind) << " " << name(from) << " " << name(to));
          Reducer reducer{kind, from};
          check(way, reducer, to, convert_after_reduce(reducer, to));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("a convert passes what keeps its order or its modulus, for all pairs of types") {
  for_each_row([](Way way, const Reducer& reducer, Type to, const ReduceConvert& law) {
    if (law.how == ConvertThroughReduce::kNever) return;
    Module before = convert_of_reduced(way, reducer, to);
    Module after = reduced_convert(way, reducer.type, law.reducer.kind, to, to);
    if (law.how == ConvertThroughReduce::kEqual) {
      CHECK(verdict(before, after) == "same");
      CHECK(verdict(after, before) == "same");
      CHECK(verdict(before, after, in_class(Numerics::kReassoc)) == "same");
    } else {
      CHECK(verdict(before, after) != "same");
    }
    bool over_devices = way == Way::kAllReduce || way == Way::kReduceScatter;
    if (law.how == ConvertThroughReduce::kReassoc) {
      CHECK(verdict(before, after, in_class(Numerics::kReassoc)) == "same");
    } else if (law.how == ConvertThroughReduce::kMore && over_devices &&
               reducer.kind == ReducerKind::kAdd) {
      CHECK(verdict(before, after, in_class(Numerics::kPrecise)) == "same");
    }
  });
}

TEST_CASE("a convert passes nothing else") {
  for_each_row([](Way way, const Reducer& reducer, Type to, const ReduceConvert& law) {
    Module before = convert_of_reduced(way, reducer, to);
    if (law.how != ConvertThroughReduce::kNever) {
      ReducerKind kind = another(law.reducer.kind);
      CHECK(verdict(before, reduced_convert(way, reducer.type, kind, to, to)) != "same");
      return;
    }
    bool bits = reducer.kind == ReducerKind::kAnd || reducer.kind == ReducerKind::kOr;
    if (bits && !is_integer(to)) return;
    Module after = reduced_convert(way, reducer.type, reducer.kind, to, to);
    // Bits of integers do pass a truncation.
    if (!bits || numbers_differ(before, after)) CHECK(verdict(before, after) != "same");
  });
}

TEST_CASE("a reducer left at the type before the convert is another one") {
  for (auto [from, to] : {std::pair{Type::kU8, Type::kF32}, {Type::kS32, Type::kBF16},
                          {Type::kS16, Type::kS8}, {Type::kF16, Type::kF32}}) {
    for (Way way : {Way::kAllReduce, Way::kReduceScatter}) {
      INFO(name(from) << " " << name(to));
      Module before = convert_of_reduced(way, {ReducerKind::kAdd, from}, to);
      Module after = reduced_convert(way, from, ReducerKind::kAdd, to, from);
      CHECK(verdict(before, after) != "same");
    }
  }
}

TEST_CASE("a chain of converts is its ends where the middle holds every value") {
  for (Type from : kTypes) {
    for (Type middle : kTypes) {
      for (Type to : kTypes) {
        INFO(name(from) << " " << name(middle) << " " << name(to));
        std::string x = "x = " + name(from) + "[8] parameter(0)\n";
        Module chain = program(x + "m = " + name(middle) + "[8] convert(x)\nROOT r = " + name(to) +
                               "[8] convert(m)\n");
        Module ends = program(x + "ROOT r = " + name(to) + "[8] convert(x)\n");
        bool holds = convert_preserves_values(from, middle) &&
                     (is_float(from) || !is_float(middle) || is_float(to) ||
                      convert_preserves_values(from, to));
        std::string said = verdict(chain, ends);
        if (holds) {
          CHECK(said == "same");
        } else if (said == "same") {
          CHECK_FALSE(numbers_differ(chain, ends));
        } else if (said == "different" && !is_float(from)) {
          CHECK(numbers_differ(chain, ends, 2000));
        }
      }
    }
  }
}

TEST_CASE("longer chains of preserving converts keep what a value is") {
  auto chain = [](const std::string& converts, const std::string& to) {
    return "x = u8[8] parameter(0)\n"
           "ar = u8[8] all-reduce(x), to_apply=max_u8" +
           kAll + "\n" + converts + "ROOT r = " + to + "\n";
  };
  std::string max_u8 =
      "max_u8 {\n  a = u8[] parameter(0)\n  b = u8[] parameter(1)\n"
      "  ROOT r = u8[] maximum(a, b)\n}\n";
  auto said = [&](const std::string& before, const std::string& after) {
    return verdict(program(before, "num_partitions=4", max_u8),
                   program(after, "num_partitions=4", max_u8));
  };
  std::string out =
      "a = s32[8] convert(ar)\nb = f32[8] convert(a)\nc = f64[8] convert(b)\n"
      "d = s64[8] convert(c)\ne = f16[8] convert(d)\n";
  CHECK(said(chain(out, "u8[8] convert(e)"), chain("", "u8[8] copy(ar)")) == "same");
  CHECK(said(chain(out, "f8e5m2[8] convert(e)"), chain("", "f8e5m2[8] convert(ar)")) == "same");
  CHECK(said(chain(out, "pred[8] convert(e)"), chain("", "pred[8] convert(ar)")) == "same");
  CHECK(said(chain(out, "s8[8] convert(e)"), chain("", "s8[8] convert(ar)")) != "same");
}

TEST_CASE("known integers convert with true rounding") {
  auto folded = [](const std::string& lines, const std::string& constant) {
    return verdict("x = f32[4] parameter(0)\n" + lines,
                   "x = f32[4] parameter(0)\nROOT r = " + constant + "\n");
  };
  std::string c = "c = s32[2] constant({16777217, -3})\n";
  CHECK(folded(c + "ROOT r = f32[2] convert(c)\n", "f32[2] constant({16777216, -3})") == "same");
  CHECK(folded(c + "ROOT r = f32[2] convert(c)\n", "f32[2] constant({16777218, -3})") ==
        "different");
  CHECK(folded(c + "ROOT r = bf16[2] convert(c)\n", "bf16[2] constant({16777216, -3})") == "same");
  CHECK(folded(c + "ROOT r = u8[2] convert(c)\n", "u8[2] constant({1, 253})") == "same");
  CHECK(folded(c + "ROOT r = pred[2] convert(c)\n", "pred[2] constant({1, 1})") == "same");
  std::string d = "d = f32[2] constant({3.75, -2.5})\n";
  CHECK(folded(d + "ROOT r = s8[2] convert(d)\n", "s8[2] constant({3, -2})") == "same");
  CHECK(folded(c + "f = f32[2] convert(c)\ng = f32[2] constant({5, 5})\n" +
                   "ROOT r = f32[2] maximum(f, g)\n",
               "f32[2] constant({16777216, 5})") == "same");
  CHECK(folded(c + "f = f32[2] convert(c)\ng = f32[2] constant({5, 5})\n" +
                   "ROOT r = pred[2] compare(f, g), direction=LT\n",
               "pred[2] constant({0, 1})") == "same");
}

TEST_CASE("a float out of range is the same integer on both sides, and no other") {
  auto out_of_range = [](const std::string& by_way) {
    return "x = f32[2] parameter(0)\n"
           "d = f32[2] constant({300, nan})\n" +
           by_way;
  };
  auto direct = out_of_range("ROOT r = u8[2] convert(d)\n");
  CHECK(verdict(out_of_range("e = f64[2] convert(d)\nROOT r = u8[2] convert(e)\n"), direct) ==
        "same");
  CHECK(verdict(out_of_range("e = s32[2] convert(d)\nROOT r = u8[2] convert(e)\n"), direct) !=
        "same");
}

TEST_CASE("a maximum with a known number passes the convert of an unknown integer") {
  auto before = [](const std::string& number) {
    return "x = u8[8] parameter(0)\n"
           "n = u8[] constant(" +
           number +
           ")\n"
           "b = u8[8] broadcast(n), dimensions={}\n"
           "m = u8[8] maximum(x, b)\n"
           "ROOT r = f32[8] convert(m)\n";
  };
  auto after = [](const std::string& number) {
    return "x = u8[8] parameter(0)\n"
           "c = f32[8] convert(x)\n"
           "n = f32[] constant(" +
           number +
           ")\n"
           "b = f32[8] broadcast(n), dimensions={}\n"
           "ROOT r = f32[8] maximum(c, b)\n";
  };
  CHECK(verdict(before("3"), after("3")) == "same");
  CHECK(verdict(before("0"), after("0")) == "same");
  CHECK(verdict(before("255"), after("255")) == "same");
  CHECK(verdict(before("0"), after("-7")) == "same");
  CHECK(verdict(before("255"), after("300")) == "different");
  CHECK(verdict(before("3"), after("4")) == "different");
}

TEST_CASE("sums and products of integers that come from floats pass a truncation") {
  auto lines = [](const std::string& op, bool narrow_first) {
    std::string x = "x = f32[8] parameter(0)\ny = f32[8] parameter(1)\na = s32[8] convert(x)\n";
    x += "b = s32[8] convert(y)\nk = s32[] constant(300)\nc = s32[8] broadcast(k), dimensions={}\n";
    if (!narrow_first) {
      return x + "s = s32[8] " + op + "(a, b)\nt = s32[8] " + op +
             "(s, c)\nROOT r = s8[8] convert(t)\n";
    }
    return x + "na = s8[8] convert(a)\nnb = u8[8] convert(b)\nnc = s16[8] convert(c)\n" +
           "sb = s8[8] convert(nb)\nsc = s8[8] convert(nc)\ns = s8[8] " + op +
           "(sb, sc)\nROOT r = s8[8] " + op + "(s, na)\n";
  };
  for (std::string op : {"add", "multiply", "and", "or"}) {
    INFO(op);
    CHECK(verdict(lines(op, false), lines(op, true)) == "same");
  }
  CHECK(verdict(lines("maximum", false), lines("maximum", true)) == "different");
}

TEST_CASE("equal for unknown integers but by no law that is known: not checked, not different") {
  auto compared = [](const std::string& lines) {
    return "x = s8[8] parameter(0)\ny = s8[8] parameter(1)\n" + lines;
  };
  auto less = compared("ROOT r = pred[8] compare(x, y), direction=LT\n");
  auto greater = compared("ROOT r = pred[8] compare(y, x), direction=GT\n");
  auto at_most = compared("ROOT r = pred[8] compare(x, y), direction=LE\n");
  auto wide = compared(
      "a = s32[8] convert(x)\nb = s32[8] convert(y)\n"
      "ROOT r = pred[8] compare(a, b), direction=LT\n");
  CHECK(verdict(less, greater).starts_with("not checked"));
  CHECK(verdict(less, wide).starts_with("not checked"));
  CHECK(verdict(less, at_most) == "different");
  // abs(-128) is -128 in eight bits alone.
  CHECK(verdict(compared("a = s8[8] abs(x)\nROOT r = s32[8] convert(a)\n"),
                compared("a = s32[8] convert(x)\nROOT r = s32[8] abs(a)\n")) == "different");
}

TEST_CASE("one of many that an or leaves out") {
  auto any = [](const std::string& groups) {
    return program("x = pred[8] parameter(0)\n"
                   "ROOT r = pred[8] all-reduce(x), channel_id=1, replica_groups=" +
                       groups + ", use_global_device_ids=true, to_apply=or_pred\n",
                   "num_partitions=64");
  };
  CHECK(verdict(any("[1,64]<=[64]"), any("[2,32]<=[64]")) == "different");
  CHECK(verdict(any("[2,32]<=[64]"), any("[2,32]<=[32,2]T(1,0)")) == "different");
}
