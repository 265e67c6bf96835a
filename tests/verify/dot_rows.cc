// Dots whose operands are rows of given values: compared by row, and element by element where the
// same elements lie in other rows.
#include "tests/catch.h"
#include "tests/verify/programs.h"

using namespace flipsat::verify::testing;

namespace {

const std::string kInputs =
    "x = f32[4,64] parameter(0)\ny = f32[64,4] parameter(1)\nz = f32[4,65] parameter(2)\n";
const std::string kMiddle = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";
const std::string kDot = kInputs + "ROOT d = f32[4,4] dot(x, y)" + kMiddle;

std::string against(const std::string& lines) { return verdict(kDot, kInputs + lines); }

}  // namespace

TEST_CASE("a dot of rows is that of the same rows in other spellings") {
  CHECK(against("t = f32[4,4] dot(y, x), lhs_contracting_dims={0}, rhs_contracting_dims={1}\n"
                "ROOT d = f32[4,4] transpose(t), dimensions={1,0}\n") == "same");
  CHECK(against("t = f32[64,4] transpose(x), dimensions={1,0}\nc = f32[64,4] copy(t)\n"
                "ROOT d = f32[4,4] dot(c, y), lhs_contracting_dims={0}, "
                "rhs_contracting_dims={0}\n") == "same");
  CHECK(
      against("r = f32[2,2,64] reshape(x)\nw = f32[4,64] reshape(r)\nROOT d = f32[4,4] dot(w, y)" +
              kMiddle) == "same");
  CHECK(against("t = (f32[4,64], f32[64,4]) tuple(x, y)\n"
                "b = (f32[4,64], f32[64,4]) opt-barrier(t)\nl = f32[4,64] get-tuple-element(b), "
                "index=0\nr = f32[64,4] get-tuple-element(b), index=1\n"
                "ROOT d = f32[4,4] dot(l, r)" +
                kMiddle) == "same");
}

TEST_CASE("rows that begin, step or end elsewhere are others") {
  const std::string slice = "s = f32[4,64] slice(z), slice={[0:4], ";
  const std::string from_z = "ROOT d = f32[4,4] dot(s, y)" + kMiddle;
  const auto of_z = [&](const std::string& a, const std::string& b) {
    return verdict(kInputs + slice + a + from_z, kInputs + slice + b + from_z);
  };
  CHECK(of_z("[0:64]}\n", "[0:64]}\n") == "same");
  CHECK(of_z("[0:64]}\n", "[1:65]}\n") == "different");
  CHECK(against("v = f32[4,64] reverse(x), dimensions={1}\nROOT d = f32[4,4] dot(v, y)" +
                kMiddle) == "different");
  CHECK(against("v = f32[4,64] reverse(x), dimensions={0}\nROOT d = f32[4,4] dot(v, y)" +
                kMiddle) == "different");
  // Rows of columns: the same elements, read across.
  CHECK(against("r = f32[64,4] reshape(x)\nt = f32[4,64] transpose(r), dimensions={1,0}\n"
                "ROOT d = f32[4,4] dot(t, y)" +
                kMiddle) == "different");
  const auto short_by = [&](const std::string& size) {
    return kInputs + "a = f32[4," + size + "] slice(x), slice={[0:4], [0:" + size + "]}\nb = f32[" +
           size + ",4] slice(y), slice={[0:" + size + "], [0:4]}\nROOT d = f32[4,4] dot(a, b)" +
           kMiddle;
  };
  CHECK(verdict(kDot, short_by("64")) == "same");
  CHECK(verdict(kDot, short_by("60")) == "different");
}

TEST_CASE("the same elements in other rows are still the same dot") {
  CHECK(against("v = f32[4,64] reverse(x), dimensions={1}\nw = f32[64,4] reverse(y), "
                "dimensions={0}\nROOT d = f32[4,4] dot(v, w)" +
                kMiddle) == "same");
  const std::string parts =
      "a = f32[4,32] slice(x), slice={[0:4], [0:32]}\nb = f32[4,32] slice(x), slice={[0:4], "
      "[32:64]}\n";
  CHECK(against(parts +
                "c = f32[4,64] concatenate(a, b), dimensions={1}\n"
                "ROOT d = f32[4,4] dot(c, y)" +
                kMiddle) == "same");
  CHECK(against(parts +
                "c = f32[4,64] concatenate(b, a), dimensions={1}\n"
                "ROOT d = f32[4,4] dot(c, y)" +
                kMiddle) == "different");
}

TEST_CASE("rows of each device are its own") {
  const std::string gathered =
      "x = f32[4,64] parameter(0)\ny = f32[64,4] parameter(1)\n"
      "g = f32[16,64] all-gather(x), dimensions={0}" +
      kAll + "\n";
  const std::string before = gathered + "ROOT d = f32[16,4] dot(g, y)" + kMiddle;
  CHECK(verdict(before, gathered + "t = f32[4,16] dot(y, g), lhs_contracting_dims={0}, "
                                   "rhs_contracting_dims={1}\n"
                                   "ROOT d = f32[16,4] transpose(t), dimensions={1,0}\n") ==
        "same");
  // Each device has its own y.
  CHECK(verdict(before, gathered + "d = f32[4,4] dot(x, y)" + kMiddle +
                            "ROOT r = f32[16,4] all-gather(d), dimensions={0}" + kAll + "\n") ==
        "different");
}
