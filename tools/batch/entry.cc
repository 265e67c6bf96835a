#include "tools/batch/entry.h"

#include <fmt/format.h>

#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/string.hpp>
#include <sstream>
#include <stdexcept>

#include "hlo/input_error.h"
#include "optimizer/optimize.h"
#include "tools/batch/digest.h"
#include "tools/optimize_file.h"
#include "tools/report.h"

namespace flipsat::tools {
namespace {

constexpr std::string_view kMagic =
    "\x89"
    "FLB1\r\n";  // not text; the digit is the version
constexpr int kRecordIndent = 6;

Entry failed(std::string error, bool is_lasting) {
  Entry entry;
  entry.error = std::move(error);
  entry.is_lasting = is_lasting;
  return entry;
}

template <class Figure>
std::array<int64_t, 3> of_three(const optimizer::Result& result, const Figure& figure) {
  return {figure(result.input_cost), figure(result.greedy_cost), figure(result.output_cost)};
}

Figures figures_of(const optimizer::Result& result, extract::Objective objective) {
  using Cost = extract::ProgramCost;
  Figures figures;
  figures.time = of_three(result, [](const Cost& cost) { return cost.time; });
  figures.launches = of_three(result, [](const Cost& cost) { return cost.executed.launches; });
  figures.wire_bytes = of_three(result, [](const Cost& cost) { return cost.executed.wire_bytes; });
  figures.changes = static_cast<int64_t>(result.changes.size());
  figures.is_improved = result.output_cost.value(objective) < result.input_cost.value(objective);
  return figures;
}

// The record but for its head and the file's name, which the report adds.
std::string record_of(const optimizer::Result& result, const optimizer::Options& options) {
  Json record = optimize_report("", options, result);
  const Json head = report_head();
  for (const auto& [key, _] : head.items()) record.erase(key);
  record.erase("input");
  return json_fields(record, kRecordIndent);
}

Entry optimized(const std::string& bytes, const std::string& shown,
                const optimizer::Options& options) {
  const OptimizedFile file = optimize_bytes(bytes, shown, options);
  Entry entry;
  entry.is_lasting = file.result.deterministic;
  entry.figures = figures_of(file.result, options.cost.objective);
  entry.record = record_of(file.result, options);
  entry.is_input = file.result.origin == optimizer::Origin::kInput;
  // It is to stand in the input's place, so it is of its form whatever its name says.
  if (!entry.is_input) entry.output = output_bytes(file, file.form.kind);
  entry.compression = file.form.compression;
  entry.output_digest = sha256(output_file(entry, bytes));
  return entry;
}

}  // namespace

std::string encode(const Entry& entry) {
  std::ostringstream stream;
  {
    cereal::PortableBinaryOutputArchive archive(stream);
    archive(entry);
  }
  const std::string packed = frontends::compress(stream.str(), frontends::Compression::kZstd);
  return std::string(kMagic) + sha256(packed) + packed;
}

std::optional<Entry> decode(std::string_view bytes) {
  constexpr size_t kDigest = 64;
  if (!bytes.starts_with(kMagic) || bytes.size() < kMagic.size() + kDigest) return std::nullopt;
  const std::string_view digest = bytes.substr(kMagic.size(), kDigest);
  const std::string_view packed = bytes.substr(kMagic.size() + kDigest);
  if (sha256(packed) != digest) return std::nullopt;
  try {
    constexpr size_t kMost = size_t{8} << 30;
    std::istringstream stream(
        frontends::decompress(packed, frontends::Compression::kZstd, kMost, "entry"));
    Entry entry;
    cereal::PortableBinaryInputArchive archive(stream);
    archive(entry);
    return entry;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Entry solve(const std::string& bytes, const std::string& shown, const optimizer::Options& options) {
  try {
    return optimized(bytes, shown, options);
  } catch (const optimizer::VerificationFailed& error) {
    return failed(fmt::format("the rewritten module was refused: {}", error.what()), true);
  } catch (const hlo::InputError& error) {
    Entry entry = failed(error.what(), true);
    entry.error_has_place = entry.error.starts_with(shown + ":");
    if (entry.error_has_place) entry.error.erase(0, shown.size());
    return entry;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return failed(fmt::format("internal error: {}", error.what()), false);
  }
}

std::string output_file(const Entry& entry, const std::string& input) {
  if (entry.is_input) return input;
  return entry.compression == frontends::Compression::kNone
             ? entry.output
             : frontends::compress(entry.output, entry.compression);
}

std::string error_of(const Entry& entry, const std::string& path) {
  return entry.error_has_place ? path + entry.error : entry.error;
}

}  // namespace flipsat::tools
