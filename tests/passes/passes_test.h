// Running one pass on a few lines of HLO.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontends/text/text.h"
#include "passes/pipeline.h"
#include "tests/catch.h"

namespace flipsat::passes::testing {

// `num_partitions=4`, reducers, and the lines of the entry computation.
inline std::string module_of(const std::string& lines) {
  return R"(HloModule test, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

add16 {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] add(a, b)
}

max16 {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT s = bf16[] maximum(a, b)
}

ENTRY main {
)" + lines +
         "}\n";
}

// Attributes of collectives over all four partitions, in printed order.
inline const std::string kOverAll = ", channel_id=1, replica_groups={{0,1,2,3}}";

inline std::string gather_along(const std::string& dim) {
  return kOverAll + ", dimensions={" + dim + "}, use_global_device_ids=true";
}

inline std::string reduce_by(const std::string& reducer) {
  return kOverAll + ", use_global_device_ids=true, to_apply=" + reducer;
}

inline std::string scatter_along(const std::string& dim, const std::string& reducer) {
  return kOverAll + ", use_global_device_ids=true, dimensions={" + dim + "}, to_apply=" + reducer;
}

const GreedyOptions kLiteral = {.mode = Mode::kLiteral};

struct Outcome {
  std::string text;  // of the module that came out
  PassReport report;
  std::vector<std::string> log;  // lines without the pass's name in front
};

inline Outcome run(const std::string& pass, const std::string& text, GreedyOptions options = {}) {
  hlo::Module module = frontends::read_text(text, "test.hlo");
  options.order = {pass};
  std::vector<std::string> log;
  options.log = [&](const std::string& line) {
    CHECK(line.starts_with(pass + ": "));
    log.push_back(line.substr(pass.size() + 2));
  };
  PipelineReport report = run_greedy(module, options);
  Outcome outcome{frontends::write_text(module), report.passes.at(0), log};
  CHECK(report.changed == (outcome.text != text));
  if (!report.changed) return outcome;
  // What was written can be read, and says the same.
  CHECK(frontends::write_text(frontends::read_text(outcome.text, "out.hlo")) == outcome.text);
  return outcome;
}

// The one reason for which the pass left the module alone.
inline std::string refusal(const std::string& pass, const std::string& text,
                           const GreedyOptions& options = {}) {
  Outcome outcome = run(pass, text, options);
  if (outcome.report.expanded > 0) return "fired";
  if (outcome.report.refused.empty()) return "no match";
  CHECK(outcome.report.refused.size() == 1);
  return outcome.report.refused.begin()->first;
}

inline std::string with(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace flipsat::passes::testing
