// What HLO protos say beside the computation: metadata, frontend attributes, statistics.
#pragma once

#include <string>
#include <string_view>

#include "frontends/proto/hlo.pb.h"

namespace flipsat::frontends {

// `{op_type="dot" source_line=3}`; `{}` where nothing is set that text has a word for.
std::string metadata_text(const hlo_proto::Metadata& message);
void set_metadata(std::string_view text, hlo_proto::Metadata* message);

// `{...}` with brackets that fit: what text may spell without quotes.
bool is_braced_json(const std::string& text);

// `{key="text",other={json}}`
std::string frontend_attributes_text(const hlo_proto::FrontendAttributes& message);
void set_frontend_attributes(std::string_view text, hlo_proto::FrontendAttributes* message);

// `{visualizing_index=1,name=2.5}`
std::string statistics_text(const hlo_proto::Statistics& message);
void set_statistics(std::string_view text, hlo_proto::Statistics* message);

}  // namespace flipsat::frontends
