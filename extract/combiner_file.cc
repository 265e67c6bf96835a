#include "extract/combiner_file.h"

#include "extract/json_fields.h"

namespace flipsat::extract {
namespace {

// An opcode that the file does not name is left alone. Caps of none, which the compiler takes for
// "off", have to be said as "off".
hlo::CombinerOptions::Limits read_limits(JsonFields& combiner, const std::string& opcode) {
  const LocatedJson* json = combiner.optional(opcode);
  if (!json) return {false, 0, 0};
  JsonFields fields(*json, "\"" + opcode + "\"");
  hlo::CombinerOptions::Limits limits;
  limits.enabled = fields.flag("enabled", true);
  const int64_t least = limits.enabled ? 1 : 0;
  for (auto [name, cap] :
       {std::pair("max_bytes", &limits.max_bytes), std::pair("max_count", &limits.max_count)}) {
    if (limits.enabled || fields.optional(name)) *cap = fields.count(name, least);
  }
  fields.refuse_unknown();
  return limits;
}

}  // namespace

hlo::CombinerOptions combiner_from_json(const std::string& text, const std::string& file) {
  const LocatedJson json = read_located_json(text, file);
  JsonFields fields(json, "a combiner");
  fields.optional("$schema");  // for editors
  hlo::CombinerOptions options;
  options.name = fields.text("name");
  options.all_gather = read_limits(fields, "all_gather");
  options.all_reduce = read_limits(fields, "all_reduce");
  options.reduce_scatter = read_limits(fields, "reduce_scatter");
  options.collective_permute = read_limits(fields, "collective_permute");
  options.by_dim = fields.flag("by_dim", true);
  options.combine_different_types = fields.flag("combine_different_types", false);
  options.combine_in_loops = fields.flag("combine_in_loops", true);
  fields.refuse_unknown();
  return options;
}

hlo::CombinerOptions combiner_by_name(const std::string& name) {
  if (!is_json_path(name)) return hlo::combiner_preset(name);
  return combiner_from_json(read_json_file(name, "combiner"), name);
}

}  // namespace flipsat::extract
