#include "frontends/proto/window_message.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "hlo/window.h"

namespace flipsat::frontends {

using hlo_proto::WindowDim;

namespace {

std::string by_dim(const hlo_proto::Window& window,
                   const std::function<std::string(const WindowDim&)>& text) {
  std::string out;
  for (const WindowDim& dim : window.dimensions()) (out += out.empty() ? "" : "x") += text(dim);
  return out;
}

bool any(const hlo_proto::Window& window, bool (*test)(const WindowDim&)) {
  return std::any_of(window.dimensions().begin(), window.dimensions().end(), test);
}

// `b`, `f` and numbers at the places that the message gives them.
template <typename Spatial>
std::string labels(char first, int64_t first_at, char second, int64_t second_at,
                   const Spatial& spatial) {
  std::string text(static_cast<size_t>(spatial.size()) + 2, '?');
  auto put = [&](int64_t at, char label) {
    if (at < 0 || at >= static_cast<int64_t>(text.size()) || text[static_cast<size_t>(at)] != '?') {
      throw std::runtime_error("expected the dims of a convolution to be each in its own place");
    }
    text[static_cast<size_t>(at)] = label;
  };
  put(first_at, first);
  put(second_at, second);
  constexpr int kMostSpatial = 10;  // one digit each
  if (spatial.size() > kMostSpatial) throw std::runtime_error("expected at most 10 spatial dims");
  for (int i = 0; i < spatial.size(); ++i) put(spatial[i], static_cast<char>('0' + i));
  return text;
}

}  // namespace

std::string window_text(const hlo_proto::Window& window) {
  std::string text =
      "{size=" + by_dim(window, [](const WindowDim& dim) { return std::to_string(dim.size()); });
  if (any(window, [](const WindowDim& dim) { return dim.stride() != 1; })) {
    text +=
        " stride=" + by_dim(window, [](const WindowDim& d) { return std::to_string(d.stride()); });
  }
  if (any(window,
          [](const WindowDim& dim) { return dim.padding_low() != 0 || dim.padding_high() != 0; })) {
    text += " pad=" + by_dim(window, [](const WindowDim& d) {
              return std::to_string(d.padding_low()) + '_' + std::to_string(d.padding_high());
            });
  }
  if (any(window, [](const WindowDim& dim) { return dim.base_dilation() != 1; })) {
    text += " lhs_dilate=" +
            by_dim(window, [](const WindowDim& d) { return std::to_string(d.base_dilation()); });
  }
  if (any(window, [](const WindowDim& dim) { return dim.window_dilation() != 1; })) {
    text += " rhs_dilate=" +
            by_dim(window, [](const WindowDim& d) { return std::to_string(d.window_dilation()); });
  }
  if (any(window, [](const WindowDim& dim) { return dim.window_reversal(); })) {
    text += " rhs_reversal=" +
            by_dim(window, [](const WindowDim& d) { return d.window_reversal() ? "1" : "0"; });
  }
  return text + '}';
}

void set_window(const hlo::Instruction& instruction, hlo_proto::Window* message) {
  message->Clear();
  const std::string_view text = instruction.raw_text(hlo::AttributeKey::kWindow);
  size_t begin = text.find("size=");
  if (begin == text.npos) return;
  // As many dims as the first list has parts; every list has as many.
  const std::string_view sizes = text.substr(begin, text.find_first_of(" }", begin) - begin);
  const auto rank = static_cast<size_t>(std::count(sizes.begin(), sizes.end(), 'x')) + 1;
  const std::optional<hlo::Window> window = hlo::window_of(instruction, rank);
  if (!window) throw std::runtime_error("expected a window of as many dims as it has sizes");
  for (const hlo::WindowDim& dim : *window) {
    WindowDim* added = message->add_dimensions();
    added->set_size(dim.size);
    added->set_stride(dim.stride);
    added->set_padding_low(dim.low);
    added->set_padding_high(dim.high);
    added->set_window_dilation(dim.dilation);
    added->set_base_dilation(dim.base_dilation);
    added->set_window_reversal(dim.reversed);
  }
}

std::string dim_labels_text(const hlo_proto::ConvolutionDims& m) {
  return labels('b', m.input_batch(), 'f', m.input_feature(), m.input_spatial()) + '_' +
         labels('i', m.kernel_input_feature(), 'o', m.kernel_output_feature(), m.kernel_spatial()) +
         "->" + labels('b', m.output_batch(), 'f', m.output_feature(), m.output_spatial());
}

void set_dim_labels(std::string_view text, hlo_proto::ConvolutionDims* message) {
  const std::optional<hlo::ConvolutionDims> dims = hlo::convolution_dims(text);
  if (!dims) throw std::runtime_error("expected dim labels such as b01f_01io->b01f");
  message->Clear();
  message->set_input_batch(dims->input_batch);
  message->set_input_feature(dims->input_feature);
  message->set_kernel_input_feature(dims->kernel_input_feature);
  message->set_kernel_output_feature(dims->kernel_output_feature);
  message->set_output_batch(dims->output_batch);
  message->set_output_feature(dims->output_feature);
  for (int64_t dim : dims->input_spatial) message->add_input_spatial(dim);
  for (int64_t dim : dims->kernel_spatial) message->add_kernel_spatial(dim);
  for (int64_t dim : dims->output_spatial) message->add_output_spatial(dim);
}

std::string padding_text(const hlo_proto::Instruction& message) {
  std::string text;
  for (const auto& dim : message.padding().dimensions()) {
    if (!text.empty()) text += 'x';
    text += std::to_string(dim.low()) + '_' + std::to_string(dim.high());
    if (dim.interior() != 0) text += '_' + std::to_string(dim.interior());
  }
  return text;
}

void set_padding(const hlo::PaddingDims& dims, hlo_proto::Instruction* message) {
  message->mutable_padding()->Clear();
  for (const hlo::PaddingDim& dim : dims) {
    auto* added = message->mutable_padding()->add_dimensions();
    added->set_low(dim.low);
    added->set_high(dim.high);
    added->set_interior(dim.interior);
  }
}

}  // namespace flipsat::frontends
