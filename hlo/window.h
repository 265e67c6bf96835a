// Windows that slide over an array (convolution, reduce-window, select-and-scatter), and which dim
// of a convolution's operands means what.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "hlo/module.h"

namespace flipsat::hlo {

struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t low = 0;  // padding, which may be negative
  int64_t high = 0;
  int64_t dilation = 1;       // of the window
  int64_t base_dilation = 1;  // of the array
  bool reversed = false;

  // Where position `at` of the window that makes result `result` lies in the array; nullopt where
  // that is padding.
  std::optional<int64_t> source(int64_t result, int64_t at, int64_t array_size) const;
};
using Window = std::vector<WindowDim>;

// The window of an instruction, one entry a dim; all ones (`rank` of them) where it has none.
// Nullopt for text that is no window of that rank.
std::optional<Window> window_of(const Instruction& instruction, size_t rank);

// dim_labels=b01f_01io->b01f
struct ConvolutionDims {
  int64_t input_batch = 0, input_feature = 0;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  int64_t output_batch = 0, output_feature = 0;
  std::vector<int64_t> input_spatial, kernel_spatial, output_spatial;  // in the window's order
};
std::optional<ConvolutionDims> convolution_dims(std::string_view labels);

}  // namespace flipsat::hlo
