#include "optimizer/changes.h"

#include <set>
#include <string_view>

namespace flipsat::optimizer {
namespace {

// The value of `key="..."` or `key=number` inside a metadata attribute.
std::string_view field(std::string_view metadata, std::string_view key) {
  for (size_t at = metadata.find(key); at != std::string_view::npos;
       at = metadata.find(key, at + 1)) {
    size_t begin = at + key.size();
    bool is_word = at == 0 || metadata[at - 1] == ' ' || metadata[at - 1] == '{';
    if (!is_word || begin >= metadata.size() || metadata[begin] != '=') continue;
    ++begin;
    if (begin < metadata.size() && metadata[begin] == '"') {
      size_t end = begin + 1;
      while (end < metadata.size() && metadata[end] != '"') end += metadata[end] == '\\' ? 2 : 1;
      if (end >= metadata.size()) return {};
      return metadata.substr(begin + 1, end - begin - 1);
    }
    size_t end = metadata.find_first_of(" }", begin);
    return metadata.substr(begin, end == std::string_view::npos ? end : end - begin);
  }
  return {};
}

// Some frontends put a whole stack into a field, with line breaks that are spelled \n.
std::string_view first_line(std::string_view text) {
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    if (text[at] != '\\') continue;
    if (text[at + 1] == 'n') return text.substr(0, at);
    ++at;  // what a backslash hides
  }
  return text;
}

std::string quoted(const hlo::Instruction& instruction) { return "%" + instruction.name; }

// Walks down from `from` through instructions that are live in `module` and not in the other.
template <class Predicate>
std::vector<std::string> names_below(const hlo::Module& module, hlo::InstructionId from,
                                     Predicate wanted) {
  std::set<hlo::InstructionId> seen;
  std::vector<hlo::InstructionId> stack{from};
  while (!stack.empty()) {
    hlo::InstructionId id = stack.back();
    stack.pop_back();
    if (!wanted(id) || !seen.insert(id).second) continue;
    for (hlo::InstructionId operand : module[id].operands) stack.push_back(operand);
  }
  std::vector<std::string> names;
  for (hlo::InstructionId id : seen) names.push_back(quoted(module[id]));
  return names;
}

}  // namespace

std::string source_of(const hlo::Module&, const hlo::Instruction& instruction) {
  std::string_view metadata = instruction.raw_text(hlo::AttributeKey::kMetadata);
  std::string_view file = first_line(field(metadata, "source_file"));
  std::string_view line = field(metadata, "source_line");
  std::string_view op = first_line(field(metadata, "op_name"));
  std::string text(file);
  if (!file.empty() && !line.empty()) text += ":" + std::string(line);
  if (!op.empty()) text += (text.empty() ? "" : " ") + ("(" + std::string(op) + ")");
  return text;
}

std::vector<Change> describe_difference(const hlo::Module& before, const hlo::Module& after,
                                        const std::string& rule) {
  std::vector<bool> was_live = hlo::live_instructions(before);
  std::vector<bool> is_live = hlo::live_instructions(after);
  auto gone = [&](hlo::InstructionId id) { return was_live[id] && !is_live[id]; };
  auto fresh = [&](hlo::InstructionId id) { return id >= was_live.size() && is_live[id]; };
  std::vector<Change> changes;
  std::set<hlo::InstructionId> told;
  auto tell = [&](hlo::InstructionId then, hlo::InstructionId now) {
    if (now == then || !gone(then) || !told.insert(then).second) return;
    Change change;
    change.at = quoted(before[then]);
    change.computation = before.computations[before[then].computation].name;
    change.rules = {rule};
    change.from = names_below(before, then, gone);
    change.to = names_below(after, now, fresh);
    change.source = source_of(before, before[then]);
    changes.push_back(std::move(change));
  };
  for (hlo::ComputationId computation : before.order) {
    for (hlo::InstructionId id : after.computations[computation].instructions) {
      if (fresh(id)) continue;
      for (size_t i = 0; i < after[id].operands.size(); ++i) {
        tell(before[id].operands[i], after[id].operands[i]);
      }
    }
    tell(before.computations[computation].root, after.computations[computation].root);
  }
  return changes;
}

}  // namespace flipsat::optimizer
