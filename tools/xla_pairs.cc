#include "tools/xla_pairs.h"

#include "frontends/text/text.h"
#include "tools/json_text.h"
#include "tools/output_files.h"
#include "verify/excerpt.h"

namespace flipsat::tools {
namespace {

Json equal_record(const std::vector<verify::FedArray>& arrays) {
  Json equal = Json::array();
  for (const verify::FedArray& array : arrays) {
    equal.push_back(array.blocks.empty() ? Json(nullptr) : Json(array.blocks));
  }
  return equal;
}

Json numbers_record(const std::vector<verify::FedArray>& arrays) {
  Json numbers = Json::object();
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (!arrays[i].numbers.empty()) numbers[std::to_string(i)] = arrays[i].numbers;
  }
  return numbers;
}

}  // namespace

XlaExcerpts write_xla_pairs(const XlaInput& before, const XlaInput& after,
                            const XlaOptions& options, const std::filesystem::path& folder) {
  verify::ExcerptOptions excerpt_options;
  excerpt_options.devices = options.devices;
  excerpt_options.assume_replicated = options.assume_replicated;
  const hlo::DeviceCounts counts = hlo::infer_device_counts(before.module, options.devices);

  Json pairs = Json::array();
  auto add_pair = [&](const std::string& stem, const std::string& name, const std::string& left,
                      const std::string& right, const std::vector<verify::FedArray>& arrays) {
    write_output(folder / (stem + ".before.hlo"), left);
    write_output(folder / (stem + ".after.hlo"), right);
    pairs.push_back({{"name", name},
                     {"before", stem + ".before.hlo"},
                     {"after", stem + ".after.hlo"},
                     {"replicas", counts.replicas},
                     {"partitions", counts.partitions},
                     {"equal", equal_record(arrays)},
                     {"numbers", numbers_record(arrays)}});
    return &pairs.back();
  };

  add_pair("whole", "the whole program", before.text, after.text,
           verify::entry_arrays(before.module, excerpt_options));
  const verify::Excerpts cut = verify::cut_excerpts(before.module, after.module, excerpt_options);
  XlaExcerpts excerpts{0, cut.alike, cut.left_out};
  for (size_t i = 0; i < cut.excerpts.size(); ++i) {
    const verify::Excerpt& excerpt = cut.excerpts[i];
    Json* pair = add_pair("excerpt" + std::to_string(i), excerpt.computation,
                          frontends::write_text(excerpt.before),
                          frontends::write_text(excerpt.after), excerpt.parameters);
    (*pair)["excerpt"] = true;
    (*pair)["results"] = excerpt.values;
    excerpts.values += static_cast<int64_t>(excerpt.values.size());
  }
  write_output(folder / "pairs.json",
               json_text({{"timeout", options.time_limit}, {"pairs", pairs}}));
  return excerpts;
}

}  // namespace flipsat::tools
