// Windows, padding and the dims of convolutions in HLO protos.
#pragma once

#include <string>
#include <string_view>

#include "frontends/proto/hlo.pb.h"
#include "hlo/module.h"

namespace flipsat::frontends {

// `{size=2x2 stride=2x2 pad=0_1x0_1}`
std::string window_text(const hlo_proto::Window& message);
void set_window(const hlo::Instruction& instruction, hlo_proto::Window* message);

// `b01f_01io->b01f`
std::string dim_labels_text(const hlo_proto::ConvolutionDims& message);
void set_dim_labels(std::string_view labels, hlo_proto::ConvolutionDims* message);

// `0_1x2_3_1`
std::string padding_text(const hlo_proto::Instruction& message);
void set_padding(const hlo::PaddingDims& dims, hlo_proto::Instruction* message);

}  // namespace flipsat::frontends
