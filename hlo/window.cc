#include "hlo/window.h"

#include <algorithm>
#include <charconv>

namespace flipsat::hlo {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    size_t end = std::min(text.find_first_of(separators), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

// Sizes beyond this would overflow where they are multiplied.
constexpr int64_t kMost = int64_t{1} << 31;

bool read(std::string_view text, int64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= kMost &&
         value >= -kMost;
}

// One entry of `name=1x2x3` for one dim.
bool read_entry(std::string_view name, std::string_view text, WindowDim& dim) {
  if (name == "size") return read(text, dim.size) && dim.size >= 0;
  if (name == "stride") return read(text, dim.stride) && dim.stride > 0;
  if (name == "rhs_dilate") return read(text, dim.dilation) && dim.dilation > 0;
  if (name == "lhs_dilate") return read(text, dim.base_dilation) && dim.base_dilation > 0;
  if (name == "rhs_reversal") {
    int64_t flag = 0;
    bool is_number = read(text, flag);
    dim.reversed = flag != 0;
    return is_number;
  }
  if (name != "pad") return false;
  size_t bar = text.find('_');
  return bar != std::string_view::npos && read(text.substr(0, bar), dim.low) &&
         read(text.substr(bar + 1), dim.high);
}

// Positions of b, f (or i, o) and of the digits in one part of dim_labels.
bool read_labels(std::string_view part, char first, char second, int64_t& first_at,
                 int64_t& second_at, std::vector<int64_t>& spatial) {
  if (part.size() < 2) return false;
  spatial.assign(part.size() - 2, -1);
  first_at = second_at = -1;
  for (size_t i = 0; i < part.size(); ++i) {
    int64_t at = static_cast<int64_t>(i);
    if (part[i] == first && first_at < 0) {
      first_at = at;
    } else if (part[i] == second && second_at < 0) {
      second_at = at;
    } else {
      size_t digit = static_cast<size_t>(part[i] - '0');
      if (part[i] < '0' || digit >= spatial.size() || spatial[digit] >= 0) return false;
      spatial[digit] = at;
    }
  }
  return first_at >= 0 && second_at >= 0;
}

}  // namespace

std::optional<int64_t> WindowDim::source(int64_t result, int64_t at, int64_t array_size) const {
  int64_t dilated = result * stride - low + at * dilation;
  if (dilated < 0 || dilated % base_dilation != 0) return std::nullopt;
  int64_t index = dilated / base_dilation;
  if (index >= array_size) return std::nullopt;
  return index;
}

std::optional<Window> window_of(const Instruction& instruction, size_t rank) {
  const Attribute* attribute = instruction.find(AttributeKey::kWindow);
  Window window(rank);
  if (!attribute) return window;
  for (std::string_view entry : split(attribute->text, "{} \t\r\n,")) {
    size_t equals = entry.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    std::vector<std::string_view> values = split(entry.substr(equals + 1), "x");
    if (values.size() != rank) return std::nullopt;
    for (size_t i = 0; i < rank; ++i) {
      if (!read_entry(entry.substr(0, equals), values[i], window[i])) return std::nullopt;
    }
  }
  return window;
}

std::optional<ConvolutionDims> convolution_dims(std::string_view labels) {
  size_t bar = labels.find('_');
  size_t arrow = labels.find("->");
  if (bar == std::string_view::npos || arrow == std::string_view::npos || bar > arrow) {
    return std::nullopt;
  }
  ConvolutionDims dims;
  bool is_read =
      read_labels(labels.substr(0, bar), 'b', 'f', dims.input_batch, dims.input_feature,
                  dims.input_spatial) &&
      read_labels(labels.substr(bar + 1, arrow - bar - 1), 'i', 'o', dims.kernel_input_feature,
                  dims.kernel_output_feature, dims.kernel_spatial) &&
      read_labels(labels.substr(arrow + 2), 'b', 'f', dims.output_batch, dims.output_feature,
                  dims.output_spatial);
  bool fits = dims.input_spatial.size() == dims.kernel_spatial.size() &&
              dims.input_spatial.size() == dims.output_spatial.size();
  if (!is_read || !fits) return std::nullopt;
  return dims;
}

}  // namespace flipsat::hlo
