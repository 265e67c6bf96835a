#include "passes/run_pass.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "hlo/input_error.h"
#include "hlo/verifier.h"
#include "passes/errors.h"
#include "passes/post_order.h"

namespace flipsat::passes {
namespace {

using hlo::InstructionId;

bool has_collective(const hlo::Module& module, hlo::ComputationId computation) {
  const std::vector<InstructionId>& list = module.computations[computation].instructions;
  return std::any_of(list.begin(), list.end(),
                     [&](InstructionId id) { return hlo::is_collective(module[id].opcode); });
}

std::string place_of(const Context& context, InstructionId id) {
  const hlo::Instruction& instruction = context[id];
  return "%" + instruction.name + " in " +
         context.module().computations[instruction.computation].name;
}

std::vector<InstructionId> collect_matches(const Pass& pass, Context& context, PassReport& report) {
  std::vector<InstructionId> matches;
  report.refused.clear();
  for (hlo::ComputationId computation : context.module().order) {
    if (!has_collective(context.module(), computation)) continue;
    if (context.calls().is_embedded(computation)) continue;
    for (InstructionId id : post_order(context.module(), computation)) {
      Verdict verdict = pass.matches(context, id);
      if (verdict.is_refused()) ++report.refused[verdict.reason()];
      if (verdict.is_accepted()) matches.push_back(id);
      if (context.is_logging() && !verdict.is_none()) {
        std::string at = place_of(context, id);
        context.log(pass.name(), verdict.is_accepted() ? "found " + at
                                                       : "refused " + at + ": " + verdict.reason());
      }
    }
  }
  return matches;
}

void verify(const Pass& pass, const Context& context) {
  try {
    hlo::verify_module(context.module(), context.counts());
  } catch (const hlo::InputError& error) {
    throw IllFormedModule(std::string(pass.name()), error.message());
  }
}

// One match and what an expander made of it: the instructions [first, last).
struct Expansion {
  std::string at;
  InstructionId first, last;
};

// Names are final only when all matches are expanded.
void log_expansions(const Pass& pass, const Context& context,
                    const std::vector<Expansion>& expansions) {
  for (const Expansion& expansion : expansions) {
    std::string line = "created";
    for (InstructionId id = expansion.first; id < expansion.last; ++id) {
      if (!context[id].name.empty()) line += " %" + context[id].name;
    }
    context.log(pass.name(), line + " for " + expansion.at);
  }
}

void expand_all(const Pass& pass, Context& context, const std::vector<InstructionId>& matches,
                hlo::Inherit inherit) {
  hlo::ModuleEditor editor(context.module());
  std::vector<Expansion> expansions;
  for (InstructionId id : matches) {
    std::string at = context.is_logging() ? place_of(context, id) : "";
    auto first = static_cast<InstructionId>(context.module().instructions.size());
    editor.replace_all_uses(id, pass.expand(context, editor, id), inherit);
    auto last = static_cast<InstructionId>(context.module().instructions.size());
    if (context.is_logging()) expansions.push_back({std::move(at), first, last});
  }
  editor.finish();
  log_expansions(pass, context, expansions);
}

}  // namespace

hlo::Inherit inheritance(Mode mode) {
  return mode == Mode::kLiteral ? hlo::Inherit::kNothing : hlo::Inherit::kIfSameOpcode;
}

bool run_pass(const Pass& pass, Context& context, hlo::Inherit inherit, PassReport& report) {
  auto start = std::chrono::steady_clock::now();
  std::vector<InstructionId> matches = collect_matches(pass, context, report);
  if (!matches.empty()) {
    expand_all(pass, context, matches, inherit);
    context.refresh();
    verify(pass, context);
  }
  auto expanded = static_cast<int64_t>(matches.size());
  ++report.runs;
  report.expanded += expanded;
  report.matched =
      std::accumulate(report.refused.begin(), report.refused.end(), report.expanded,
                      [](int64_t sum, const auto& refused) { return sum + refused.second; });
  report.changed |= expanded > 0;
  report.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return expanded > 0;
}

}  // namespace flipsat::passes
