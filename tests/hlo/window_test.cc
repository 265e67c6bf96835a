// Windows and dim labels as text.
#include "hlo/window.h"

#include "tests/catch.h"

using namespace flipsat::hlo;

namespace {

Instruction with_window(std::string_view text) {
  Instruction in;
  Attribute attribute;
  attribute.key = AttributeKey::kWindow;
  attribute.text = text;
  in.attributes.push_back(attribute);
  return in;
}

}  // namespace

TEST_CASE("a window is read dim by dim") {
  auto window = window_of(
      with_window(
          "{size=3x2 stride=2x1 pad=-1_2x0_0 lhs_dilate=1x3 rhs_dilate=2x1 rhs_reversal=0x1}"),
      2);
  REQUIRE(window);
  const WindowDim& first = (*window)[0];
  const WindowDim& second = (*window)[1];
  CHECK(first.size == 3);
  CHECK(first.stride == 2);
  CHECK(first.low == -1);
  CHECK(first.high == 2);
  CHECK(first.dilation == 2);
  CHECK(!first.reversed);
  CHECK(second.base_dilation == 3);
  CHECK(second.reversed);
  CHECK(window_of(Instruction{}, 3)->size() == 3);
}

TEST_CASE("a window position lies in the array, or in the padding") {
  WindowDim dim;
  dim.stride = 2;
  dim.low = 1;
  CHECK(!dim.source(0, 0, 5));
  CHECK(dim.source(0, 1, 5) == 0);
  CHECK(dim.source(2, 1, 5) == 4);
  CHECK(!dim.source(2, 2, 5));
  dim.base_dilation = 2;
  CHECK(dim.source(0, 1, 5) == 0);
  CHECK(!dim.source(0, 2, 5));
  CHECK(dim.source(1, 1, 5) == 1);
}

TEST_CASE("what is no window of that rank is refused") {
  for (const char* text : {"{size=3}", "{size=3x2x1}", "{size=ax2}", "{stride=0x1}",
                           "{size=3x2 pad=1x1}", "{size=99999999999x1}", "{other=1x1}", "{size}"}) {
    INFO(text);
    CHECK(!window_of(with_window(text), 2));
  }
}

TEST_CASE("dim labels name every dim once") {
  auto dims = convolution_dims("0bf1_i1o0->0b1f");
  REQUIRE(dims);
  CHECK(dims->input_batch == 1);
  CHECK(dims->input_feature == 2);
  CHECK(dims->input_spatial == std::vector<int64_t>{0, 3});
  CHECK(dims->kernel_input_feature == 0);
  CHECK(dims->kernel_output_feature == 2);
  CHECK(dims->kernel_spatial == std::vector<int64_t>{3, 1});
  CHECK(dims->output_spatial == std::vector<int64_t>{0, 2});
  for (const char* text :
       {"", "bf_io", "bf->bf", "bb_io->bf", "b0f_io->bf", "b1f_0io->b0f", "b?f_?io->b?f"}) {
    INFO(text);
    CHECK(!convolution_dims(text));
  }
}
