// Operations known only by name: functions of what they read, equal where that is, never different.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify;
using namespace flipsat::verify::testing;

namespace {

// `name(x), attributes` on the gathered batch, and the gather of it done on each part. Nothing
// carries the name of the one in the other, so that neither is taken as given.
std::string gathered(const std::string& part, const std::string& whole, const std::string& name,
                     const std::string& attributes) {
  return "x = " + part + " parameter(0)\ng = " + whole + " all-gather(x), dimensions={0}" + kAll +
         "\nROOT r = " + whole + " " + name + "(g), " + attributes + "\n";
}
std::string local(const std::string& part, const std::string& whole, const std::string& name,
                  const std::string& attributes) {
  return "x = " + part + " parameter(0)\nc = " + part + " " + name + "(x), " + attributes +
         "\nROOT a = " + whole + " all-gather(c), dimensions={0}" + kAll + "\n";
}

}  // namespace

TEST_CASE("a repetition of an opaque operation passes an all-gather of other repetitions") {
  CHECK(verdict(gathered("f32[2,3,3]", "f32[8,3,3]", "cholesky", "lower=true"),
                local("f32[2,3,3]", "f32[8,3,3]", "cholesky", "lower=true")) == "same");
  std::string rows = "fft_type=FFT, fft_length={3}";
  CHECK(verdict(gathered("c64[2,3]", "c64[8,3]", "fft", rows),
                local("c64[2,3]", "c64[8,3]", "fft", rows)) == "same");
  // Along a dim that is read the operation is not the same, and nothing is claimed.
  CHECK(verdict(gathered("c64[2]", "c64[8]", "fft", "fft_type=FFT, fft_length={8}"),
                local("c64[2]", "c64[8]", "fft", "fft_type=FFT, fft_length={2}"))
            .substr(0, 11) == "not checked");
}

TEST_CASE("what an opaque operation reads decides its value") {
  auto solve = [](const std::string& b) {
    return "a = f32[2,3,3] parameter(0)\nb = f32[2,3,4] parameter(1)\nn = f32[2,3,4] negate(b)\n"
           "s = f32[2,3,4] triangular-solve(a, " +
           b +
           "), left_side=true, lower=true, unit_diagonal=false, "
           "transpose_a=NO_TRANSPOSE\nROOT r = f32[1,3,4] slice(s), slice={[1:2], [0:3], [0:4]}\n";
  };
  std::string sliced =
      "a = f32[2,3,3] parameter(0)\nb = f32[2,3,4] parameter(1)\n"
      "c = f32[1,3,3] slice(a), slice={[1:2], [0:3], [0:3]}\nd = f32[1,3,4] slice(b), "
      "slice={[1:2], [0:3], [0:4]}\n"
      "ROOT t = f32[1,3,4] triangular-solve(c, d), left_side=true, lower=true, "
      "unit_diagonal=false, "
      "transpose_a=NO_TRANSPOSE\n";
  CHECK(verdict(solve("b"), sliced) == "same");
  CHECK(verdict(solve("n"), sliced).substr(0, 11) == "not checked");
  std::string upper = sliced;
  upper.replace(upper.find("lower=true"), 10, "lower=false");
  CHECK(verdict(solve("b"), upper).substr(0, 11) == "not checked");
}

TEST_CASE("a custom call may ask where it runs") {
  std::string x = "x = f32[2] parameter(0)\n";
  Options options;
  options.assume_replicated = {"x"};
  auto call = [&](const std::string& operand) {
    return x +
           "c = f32[2] custom-call(x), custom_call_target=\"f\"\n"
           "g = f32[8] all-gather(c), dimensions={0}" +
           kAll +
           "\n"
           "ROOT r = f32[2] slice(g), slice={" +
           operand + "}\n";
  };
  CHECK(verdict(call("[0:2]"), call("[0:2]"), options) == "same");
  // All hold the same x, but the first device's call is not the second's.
  CHECK(verdict(call("[0:2]"), call("[2:4]"), options) != "same");
}

TEST_CASE("batch normalisation in inference is elementwise") {
  std::string p =
      "x = f32[2,4] parameter(0)\ns = f32[4] parameter(1)\no = f32[4] parameter(2)\n"
      "m = f32[4] parameter(3)\nv = f32[4] parameter(4)\n";
  std::string norm = " batch-norm-inference(";
  std::string end = ", s, o, m, v), epsilon=0.01, feature_index=1\n";
  Options options;
  options.assume_replicated = {"s", "o", "m", "v"};
  std::string before = p + "g = f32[8,4] all-gather(x), dimensions={0}" + kAll +
                       "\nROOT n = f32[8,4]" + norm + "g" + end;
  std::string after = p + "b = f32[2,4]" + norm + "x" + end +
                      "ROOT a = f32[8,4] all-gather(b), dimensions={0}" + kAll + "\n";
  CHECK(verdict(before, after, options) == "same");
  CHECK(verdict(before, after) != "same");
}

TEST_CASE("random state and effects are no functions") {
  std::string x = "a = f32[] constant(0)\nb = f32[] constant(1)\n";
  CHECK(verdict(x + "r = f32[4] rng(a, b), distribution=rng_uniform\nROOT s = f32[4] add(r, r)\n",
                x + "r = f32[4] rng(a, b), distribution=rng_uniform\nq = f32[4] rng(a, b), "
                    "distribution=rng_uniform\nROOT s = f32[4] add(r, q)\n") != "same");
}
