// The laws of the three classes, and what is nearly one: for each pair of programs the loosest
// class in which they are still different.
#include "tests/catch.h"
#include "tests/verify/programs.h"
#include "verify/scalar_math.h"

using namespace flipsat;
using namespace flipsat::verify;
using namespace flipsat::verify::testing;
using hlo::Numerics;

namespace {

struct Law {
  const char* what;
  std::string before;
  std::string after;
  // The strictest class in which they are the same; kFast: none.
  Numerics from;
};

const std::string kXyz =
    "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\nz = f32[4] parameter(2)\n";

std::string constant(const std::string& name, const std::string& value) {
  return name + "s = f32[] constant(" + value + ")\n" + name + " = f32[4] broadcast(" + name +
         "s), dimensions={}\n";
}

std::string reduced(const std::string& operand, const std::string& groups = kAll) {
  return "all-reduce(" + operand + "), to_apply=add_f32" + groups;
}

void check(const std::vector<Law>& laws) {
  for (const Law& law : laws) {
    for (Numerics numerics : {Numerics::kExact, Numerics::kPrecise, Numerics::kReassoc}) {
      INFO(law.what << " in class " << hlo::to_string(numerics));
      Options options;
      options.numerics = numerics;
      CHECK(verdict(kXyz + law.before, kXyz + law.after, options) ==
            (numerics >= law.from ? "same" : "different"));
    }
  }
}

constexpr Numerics kExact = Numerics::kExact, kPrecise = Numerics::kPrecise,
                   kReassoc = Numerics::kReassoc, kNever = Numerics::kFast;

}  // namespace

TEST_CASE("sums and products") {
  check({
      {"a sum commutes", "ROOT r = f32[4] add(x, y)\n", "ROOT q = f32[4] add(y, x)\n", kExact},
      {"a difference does not", "ROOT r = f32[4] subtract(x, y)\n",
       "ROOT q = f32[4] subtract(y, x)\n", kNever},
      {"a sum associates", "a = f32[4] add(x, y)\nROOT r = f32[4] add(a, z)\n",
       "b = f32[4] add(y, z)\nROOT q = f32[4] add(x, b)\n", kReassoc},
      {"a product associates", "a = f32[4] multiply(x, y)\nROOT r = f32[4] multiply(a, z)\n",
       "b = f32[4] multiply(y, z)\nROOT q = f32[4] multiply(x, b)\n", kReassoc},
      {"a product distributes", "a = f32[4] add(x, y)\nROOT r = f32[4] multiply(a, z)\n",
       "a = f32[4] multiply(x, z)\nb = f32[4] multiply(y, z)\nROOT q = f32[4] add(a, b)\n",
       kReassoc},
      {"a sum does not distribute", "a = f32[4] multiply(x, y)\nROOT r = f32[4] add(a, z)\n",
       "a = f32[4] add(x, z)\nb = f32[4] add(y, z)\nROOT q = f32[4] multiply(a, b)\n", kNever},
      {"minus zero changes nothing", "ROOT r = f32[4] negate(x)\n",
       constant("c", "-0") + "a = f32[4] add(x, c)\nROOT q = f32[4] negate(a)\n", kExact},
      {"zero makes -0 to +0", "ROOT r = f32[4] negate(x)\n",
       constant("c", "0") + "a = f32[4] add(x, c)\nROOT q = f32[4] negate(a)\n", kReassoc},
      {"a factor of one changes nothing", "ROOT r = f32[4] negate(x)\n",
       constant("c", "1") + "a = f32[4] multiply(x, c)\nROOT q = f32[4] negate(a)\n", kExact},
      {"a difference undoes a sum", "ROOT r = f32[4] exponential(x)\n",
       "a = f32[4] add(x, y)\nb = f32[4] subtract(a, y)\nROOT q = f32[4] exponential(b)\n",
       kReassoc},
      {"a quotient undoes a product", "ROOT r = f32[4] exponential(x)\n",
       "a = f32[4] multiply(x, y)\nb = f32[4] divide(a, y)\nROOT q = f32[4] exponential(b)\n",
       kReassoc},
      {"two negations", "ROOT r = f32[4] exponential(x)\n",
       "a = f32[4] negate(x)\nb = f32[4] negate(a)\nROOT q = f32[4] exponential(b)\n", kReassoc},
      {"small numbers are themselves", constant("c", "3") + "ROOT r = f32[4] multiply(x, c)\n",
       "a = f32[4] add(x, x)\nROOT q = f32[4] add(a, x)\n", kReassoc},
      {"others too", constant("c", "5") + "ROOT r = f32[4] multiply(x, c)\n",
       "a = f32[4] add(x, x)\nb = f32[4] add(a, a)\nROOT q = f32[4] add(b, b)\n", kNever},
      {"fractions add up", constant("c", "0.75") + "ROOT r = f32[4] multiply(x, c)\n",
       constant("h", "0.5") + constant("k", "0.25") +
           "a = f32[4] multiply(x, h)\nb = f32[4] multiply(x, k)\nROOT q = f32[4] add(a, b)\n",
       kReassoc},
      {"a quotient by zero is not zero", constant("c", "0") + "ROOT r = f32[4] divide(x, c)\n",
       constant("c", "0") + "ROOT q = f32[4] multiply(c, y)\n", kNever},
      {"a tenth is not one over ten", constant("c", "0.1") + "ROOT r = f32[4] multiply(x, c)\n",
       constant("c", "10") + "ROOT q = f32[4] divide(x, c)\n", kNever},
  });
}

TEST_CASE("what is no sum stays as it is in every class") {
  check({
      {"exp of a sum", "a = f32[4] add(x, y)\nROOT r = f32[4] exponential(a)\n",
       "a = f32[4] exponential(x)\nb = f32[4] exponential(y)\nROOT q = f32[4] multiply(a, b)\n",
       kNever},
      {"a square root", "a = f32[4] multiply(x, x)\nROOT r = f32[4] sqrt(a)\n",
       "ROOT q = f32[4] abs(x)\n", kNever},
      {"a remainder", "ROOT r = f32[4] remainder(x, y)\n", "ROOT q = f32[4] remainder(y, x)\n",
       kNever},
      {"a function of equal sums",
       "a = f32[4] add(x, y)\nb = f32[4] add(a, z)\nROOT r = f32[4] tanh(b)\n",
       "a = f32[4] add(z, y)\nb = f32[4] add(a, x)\nROOT q = f32[4] tanh(b)\n", kReassoc},
      {"a rounding to bf16", "ROOT r = f32[4] negate(x)\n",
       "a = bf16[4] convert(x)\nb = f32[4] convert(a)\nROOT q = f32[4] negate(b)\n", kNever},
  });
}

TEST_CASE("maxima and minima") {
  check({
      {"are idempotent", "ROOT r = f32[4] maximum(x, y)\n",
       "a = f32[4] maximum(x, y)\nROOT q = f32[4] maximum(a, x)\n", kExact},
      {"associate", "a = f32[4] minimum(x, y)\nROOT r = f32[4] minimum(a, z)\n",
       "a = f32[4] minimum(z, y)\nROOT q = f32[4] minimum(x, a)\n", kExact},
      {"turn into each other", "a = f32[4] minimum(x, y)\nROOT r = f32[4] negate(a)\n",
       "a = f32[4] negate(x)\nb = f32[4] negate(y)\nROOT q = f32[4] maximum(a, b)\n", kExact},
      {"but not into themselves", "a = f32[4] minimum(x, y)\nROOT r = f32[4] negate(a)\n",
       "a = f32[4] negate(x)\nb = f32[4] negate(y)\nROOT q = f32[4] minimum(a, b)\n", kNever},
      {"do not distribute", "a = f32[4] minimum(x, y)\nROOT r = f32[4] maximum(a, z)\n",
       "a = f32[4] maximum(x, y)\nROOT q = f32[4] minimum(a, z)\n", kNever},
      {"lose nothing", "ROOT r = f32[4] maximum(x, y)\n", "ROOT q = f32[4] maximum(x, z)\n",
       kNever},
  });
}

TEST_CASE("reductions between devices, by class") {
  std::string pairs = ", channel_id=2, replica_groups={{0,2},{1,3}}, use_global_device_ids=true";
  check({
      {"a sum of sums is an order of one sum", "ROOT r = f32[4] " + reduced("x") + "\n",
       "a = f32[4] " + reduced("x", kPairs) + "\nROOT q = f32[4] " + reduced("a", pairs) + "\n",
       kExact},
      {"one sum is no order of a sum of sums",
       "a = f32[4] " + reduced("x", kPairs) + "\nROOT r = f32[4] " + reduced("a", pairs) + "\n",
       "ROOT q = f32[4] " + reduced("x") + "\n", kReassoc},
      {"groups that overlap count twice", "ROOT r = f32[4] " + reduced("x") + "\n",
       "a = f32[4] " + reduced("x", kPairs) + "\nROOT q = f32[4] " + reduced("a", kPairs) + "\n",
       kNever},
      {"sums of sums",
       "a = f32[4] " + reduced("x") + "\nb = f32[4] " + reduced("y") +
           "\nROOT r = f32[4] add(a, b)\n",
       "a = f32[4] add(x, y)\nROOT q = f32[4] " + reduced("a") + "\n", kReassoc},
      {"a scaled sum",
       "a = f32[4] " + reduced("x") + "\n" + constant("c", "2") +
           "ROOT r = f32[4] multiply(a, c)\n",
       constant("c", "2") + "a = f32[4] multiply(x, c)\nROOT q = f32[4] " + reduced("a") + "\n",
       kReassoc},
      {"a function of a sum", "a = f32[4] " + reduced("x") + "\nROOT r = f32[4] tanh(a)\n",
       "a = f32[4] tanh(x)\nROOT q = f32[4] " + reduced("a") + "\n", kNever},
      {"a wider sum",
       "a = bf16[4] convert(x)\nb = bf16[4] all-reduce(a), to_apply=add_bf16" + kAll +
           "\nROOT r = f32[4] convert(b)\n",
       "a = bf16[4] convert(x)\nb = f32[4] convert(a)\nROOT q = f32[4] " + reduced("b") + "\n",
       kPrecise},
      {"a narrower sum",
       "a = bf16[4] convert(x)\nb = f32[4] convert(a)\nROOT r = f32[4] " + reduced("b") + "\n",
       "a = bf16[4] convert(x)\nb = bf16[4] all-reduce(a), to_apply=add_bf16" + kAll +
           "\nROOT q = f32[4] convert(b)\n",
       kNever},
      {"a wider sum of what is no bf16",
       "a = bf16[4] convert(x)\nb = bf16[4] all-reduce(a), to_apply=add_bf16" + kAll +
           "\nROOT r = f32[4] convert(b)\n",
       "ROOT q = f32[4] " + reduced("x") + "\n", kNever},
  });
}

TEST_CASE("dots are linear over the reals, and of one kind") {
  std::string dot = ", lhs_contracting_dims={0}, rhs_contracting_dims={0}\n";
  check({
      {"commute", "ROOT r = f32[] dot(x, y)" + dot, "ROOT q = f32[] dot(y, x)" + dot, kExact},
      {"are linear",
       "a = f32[] dot(x, z)" + dot + "b = f32[] dot(y, z)" + dot + "ROOT r = f32[] add(a, b)\n",
       "a = f32[4] add(x, y)\nROOT q = f32[] dot(a, z)" + dot, kReassoc},
      {"are not sums of products in another precision", "ROOT r = f32[] dot(x, y)" + dot,
       "ROOT q = f32[] dot(x, y), operand_precision={highest,highest}" + dot, kNever},
      {"of zeros are zero", constant("c", "0") + "ROOT r = f32[] dot(c, c)" + dot,
       "ROOT q = f32[] constant(0)\n", kExact},
      {"of a zero and a number may be no zero",
       constant("c", "0") + "ROOT r = f32[] dot(c, x)" + dot, "ROOT q = f32[] constant(0)\n",
       kReassoc},
      {"of zeros of sign minus are not of sign minus",
       constant("c", "-0") + "ROOT r = f32[] dot(c, c)" + dot, "ROOT q = f32[] constant(-0)\n",
       kReassoc},
  });
}

TEST_CASE("a value known to be finite times zero is zero") {
  std::string times =
      kXyz + constant("c", "0") + "a = f32[4] multiply(x, c)\nROOT r = f32[4] add(a, y)\n";
  std::string gone = kXyz + constant("c", "0") + "ROOT q = f32[4] add(c, y)\n";
  std::string other = kXyz + constant("c", "1") + "ROOT q = f32[4] add(c, y)\n";
  Options finite;
  finite.assume_finite = true;
  CHECK(verdict(times, gone) == "different");
  CHECK(verdict(times, gone, finite) == "same");
  CHECK(verdict(times, other, finite) == "different");
}

TEST_CASE("where values are finite zero drops out of sums, and has no sign") {
  const std::string zeros = kXyz + constant("c", "0") + constant("n", "-0") + constant("m", "-1");
  auto tanh_of = [&](const std::string& value, const std::string& name) {
    return zeros + "v = f32[4] " + value + "\nROOT " + name + " = f32[4] tanh(v)\n";
  };
  auto verdict_of = [&](const std::string& a, const std::string& b, bool assume_finite) {
    Options options;
    options.assume_finite = assume_finite;
    return verdict(tanh_of(a, "r"), tanh_of(b, "q"), options);
  };
  const std::pair<std::string, std::string> equal[] = {
      {"add(x, c)", "copy(x)"},      {"add(c, c)", "copy(n)"},      {"add(n, n)", "copy(c)"},
      {"multiply(m, c)", "copy(c)"}, {"multiply(x, n)", "copy(c)"}, {"negate(c)", "copy(c)"},
      {"add(n, c)", "copy(n)"},
  };
  for (const auto& [a, b] : equal) {
    INFO(a << " and " << b);
    CHECK(verdict_of(a, b, true) == "same");
    CHECK(verdict_of(b, a, true) == "same");
  }
  CHECK(verdict_of("add(x, c)", "copy(x)", false) == "different");
  CHECK(verdict_of("copy(n)", "copy(c)", false) == "different");
  CHECK(verdict_of("add(x, c)", "copy(y)", true) == "different");
  CHECK(verdict_of("add(x, m)", "copy(x)", true) == "different");
  CHECK(verdict_of("multiply(x, m)", "copy(c)", true) == "different");
  CHECK(verdict_of("divide(x, c)", "copy(c)", true) == "different");
  CHECK(verdict_of("subtract(x, x)", "copy(c)", true) == "different");
}

TEST_CASE("nothing is said of zero times what is known not to be finite") {
  Options finite;
  finite.assume_finite = true;
  for (const std::string value : {"inf", "-inf", "nan"}) {
    INFO(value);
    const std::string both = kXyz + constant("c", "0") + constant("i", value);
    const std::string times = both + "a = f32[4] multiply(i, c)\nROOT r = f32[4] add(a, y)\n";
    CHECK(verdict(times, both + "ROOT q = f32[4] add(c, y)\n") == "different");
    CHECK(verdict(times, both + "ROOT q = f32[4] add(c, y)\n", finite).starts_with("not checked"));
    CHECK(verdict(times, both + "a = f32[4] multiply(c, i)\nROOT q = f32[4] add(y, a)\n", finite) ==
          "same");
  }
}

TEST_CASE("up to four equal terms add up to a multiple in every order and every type") {
  using T = hlo::ElementType;
  for (T type :
       {T::kBF16, T::kF16, T::kF8E5M2, T::kF8E4M3, T::kF8E4M3FN, T::kF8E4M3FNUZ, T::kF8E5M2FNUZ,
        T::kF8E4M3B11FNUZ, T::kF8E3M4, T::kF4E2M1FN, T::kF6E2M3FN, T::kF6E3M2FN}) {
    INFO(hlo::to_string(type));
    int wrong = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << hlo::bit_width(type); ++bits) {
      Term x = number_of_bits(bits, type);
      auto add = [&](const Term& a, const Term& b) {
        return fold_numbers(hlo::Opcode::kAdd, type, a, b);
      };
      auto times = [&](double n) {
        return fold_numbers(hlo::Opcode::kMultiply, type, x, Term::real(n));
      };
      Term two = add(x, x);
      Term three = add(two, x);
      wrong += !(two == times(2));
      wrong += !(three == times(3));
      wrong += !(add(three, x) == times(4)) + !(add(two, two) == times(4));
    }
    CHECK(wrong == 0);
  }
}
