// Real programs through the greedy passes. The folder comes from the environment variable
// FLIPSAT_CORPUS; without it there is nothing to test.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "frontends/file.h"
#include "hlo/verifier.h"
#include "passes/errors.h"
#include "tests/passes/passes_test.h"

namespace flipsat::passes {
namespace {

std::vector<std::string> corpus_files() {
  std::vector<std::string> files;
  const char* folder = std::getenv("FLIPSAT_CORPUS");
  if (!folder) {
    WARN("skipped: FLIPSAT_CORPUS is not set");
    return files;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    bool is_text = name.ends_with(".hlo") || name.ends_with(".hlo.gz");
    if (entry.is_regular_file() && is_text) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("corpus: passes settle, and what they write is well formed and left alone by them") {
  GreedyOptions options;
  options.sweeps = Sweeps::kFixPoint;
  options.numerics = hlo::Numerics::kPrecise;
  for (const std::string& file : corpus_files()) {
    INFO(file);
    hlo::Module module = frontends::read_module(file);
    std::string before = frontends::write_text(module);
    PipelineReport report = run_greedy(module, options);
    CHECK(report.settled);
    std::string after = frontends::write_text(module);
    CHECK(report.changed == (before != after));
    if (!report.changed) continue;
    hlo::Module again = frontends::read_text(after, "out.hlo");
    CHECK_NOTHROW(hlo::verify_module(again, hlo::infer_device_counts(again, {})));
    CHECK_FALSE(run_greedy(again, options).changed);
  }
}

TEST_CASE("corpus: literal passes settle, or make what is caught as not well formed") {
  GreedyOptions options;
  options.mode = Mode::kLiteral;
  options.sweeps = Sweeps::kFixPoint;
  int64_t expanded = 0, ill_formed = 0;
  for (const std::string& file : corpus_files()) {
    INFO(file);
    hlo::Module module = frontends::read_module(file);
    try {
      PipelineReport report = run_greedy(module, options);
      CHECK(report.settled);
      for (const PassReport& pass : report.passes) expanded += pass.expanded;
    } catch (const IllFormedModule&) {
      ++ill_formed;
    }
  }
  if (expanded > 0) WARN(expanded << " rewrites, " << ill_formed << " modules not well formed");
}

}  // namespace
}  // namespace flipsat::passes
