#include "tools/batch/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "frontends/file.h"
#include "hlo/input_error.h"
#include "tools/batch/digest.h"
#include "tools/json_text.h"
#include "tools/output_files.h"
#include "tools/source_digest.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace flipsat::tools {
namespace {

namespace fs = std::filesystem;

// A name may be a preset's or a file's; a preset is what it was in this version.
std::string digest_of_file(const std::string& name) {
  std::error_code error;
  if (name.empty() || !fs::is_regular_file(name, error)) return "";
  return sha256(frontends::read_raw(name));
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  return names;
}

template <class Number>
Json or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

}  // namespace

std::string identity_of(const OptimizerArguments& arguments, const optimizer::Options& options) {
  // Named one by one: who adds an option must say here what it does to results.
  const auto& [devices, cost, numerics, bitwise, assume_finite, disable, only, rules,
               assume_replicated, min_gain, max_peak_growth, node_limit, effort, time_limit, hoist,
               emit_combined, no_greedy_seed, beat_orders, alternatives, verify, solver, threads,
               memory] = arguments;
  (void)threads;
  (void)memory;
  const Json identity = {
      {"flipsat", kVersion},
      {"source", kSourceDigest},
      {"replicas", or_null(devices.replicas)},
      {"partitions", or_null(devices.partitions)},
      {"combiner", {cost.combiner, digest_of_file(cost.combiner)}},
      {"machine", {cost.machine, digest_of_file(cost.machine)}},
      {"objective", cost.objective},
      {"numerics", numerics},
      {"bitwise", bitwise},
      {"assume_finite", assume_finite},
      {"disable", sorted(disable)},
      {"only", sorted(only)},
      {"rules", digest_of_file(rules)},
      {"assume_replicated", sorted(assume_replicated)},
      {"min_gain", min_gain},
      {"max_peak_growth", or_null(max_peak_growth)},
      {"node_limit", node_limit},
      {"effort", effort},
      {"time_limit", time_limit},
      {"hoist", hoist},
      {"emit_combined", emit_combined},
      {"no_greedy_seed", no_greedy_seed},
      {"beat_orders", beat_orders},
      {"alternatives", alternatives},
      {"verify", verify},
      {"solver", {solver, options.solver ? options.solver->version : ""}},
  };
  return json_text(identity);
}

std::string key_of(const std::string& identity, std::string_view module_bytes) {
  return sha256(sha256(identity) + sha256(module_bytes));
}

Cache::Cache(std::string folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw UsageError(fmt::format("cannot make {}: {}", folder_, error.message()));
}

std::string Cache::path_of(const std::string& key) const {
  return (fs::path(folder_) / key.substr(0, 2) / key.substr(2)).string();
}

std::optional<Entry> Cache::find(const std::string& key) const {
  std::error_code error;
  const std::string path = path_of(key);
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  try {
    return decode(frontends::read_raw(path, size_t{8} << 30));
  } catch (const hlo::InputError&) {
    return std::nullopt;
  }
}

void Cache::keep(const std::string& key, const std::string& encoded) const {
  const fs::path path = path_of(key);
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw UsageError(
        fmt::format("cannot make {}: {}", path.parent_path().string(), error.message()));
  }
  write_output(path.string(), encoded, frontends::Compression::kNone);
}

}  // namespace flipsat::tools
