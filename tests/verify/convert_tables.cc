// Converts between integers, floats and pred: which operations they pass, by all pairs of types,
// and which chains of them say nothing. Where no law is named, numbers are the judge.
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

constexpr Type kTypes[] = {Type::kPred,   Type::kS4,       Type::kU4,        Type::kS8,  Type::kU8,
                           Type::kS16,    Type::kU16,      Type::kS32,       Type::kU32, Type::kS64,
                           Type::kU64,    Type::kF16,      Type::kBF16,      Type::kF32, Type::kF64,
                           Type::kF8E5M2, Type::kF8E4M3FN, Type::kF8E4M3FNUZ};
constexpr ReducerKind kKinds[] = {ReducerKind::kAdd,     ReducerKind::kMultiply,
                                  ReducerKind::kMaximum, ReducerKind::kMinimum,
                                  ReducerKind::kAnd,     ReducerKind::kOr};

// Without the many reducers of `program`, since there are thousands of modules.
Module small(const std::string& lines, const std::string& reducer = "") {
  return flipsat::frontends::read_text(
      "HloModule m, num_partitions=4\n" + reducer + "ENTRY main {\n" + lines + "}\n", "test");
}

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
  return small(parameters(way, reducer.type) +
                   combined(way, "r", reducer.kind, reducer.type, "x", "y") +
                   "ROOT c = " + name(to) + dims_of(way) + " convert(r)\n",
               reducer_of(reducer.kind, reducer.type));
}

// The reducer's own type may be another than the data's.
Module reduced_convert(Way way, Type from, ReducerKind kind, Type to, Type reducer) {
  return small(parameters(way, from) + "cx = " + name(to) + "[4,3] convert(x)\ncy = " + name(to) +
                   (way == Way::kReduce ? "[]" : "[4,3]") + " convert(y)\n" +
                   combined(way, "ROOT c", kind, to, "cx", "cy"),
               reducer_of(kind, reducer));
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

void for_each_row(
    const std::function<void(Way, const Reducer&, Type, const ReduceConvert&)>& check) {
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
  for (auto [from, to] : {std::pair{Type::kU8, Type::kF32},
                          {Type::kS32, Type::kBF16},
                          {Type::kS16, Type::kS8},
                          {Type::kF16, Type::kF32}}) {
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
        Module chain = small(x + "m = " + name(middle) + "[8] convert(x)\nROOT r = " + name(to) +
                             "[8] convert(m)\n");
        Module ends = small(x + "ROOT r = " + name(to) + "[8] convert(x)\n");
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
