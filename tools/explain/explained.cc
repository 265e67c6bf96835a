#include "tools/explain/explained.h"

#include <algorithm>
#include <set>

#include "language/node_text.h"

namespace flipsat::tools {
namespace {

using optimizer::Inspection;

constexpr size_t kMostExamples = 3;
// Beyond so many chains of rules nobody reads on; what is left is told by its rules alone.
constexpr size_t kMostReasons = 400;

std::string line_of(const Inspection& inspection, const hlo::Module& module, hlo::InstructionId id,
                    language::NodeId node) {
  const hlo::Instruction& instruction = module[id];
  std::vector<std::string> operands;
  for (hlo::InstructionId operand : instruction.operands) {
    operands.push_back("%" + module[operand].name);
  }
  language::Operator op;
  if (node != egraph::kNoId) {
    op = inspection.hlo().op(node);
  } else {
    op.opcode = instruction.opcode;
    op.shape = instruction.shape;
  }
  return "%" + instruction.name + " = " + language::node_text(inspection.hlo(), op, operands, true);
}

// Those instructions alone that the change names: not the arithmetic of indices.
std::vector<std::string> lines_of(const Inspection& inspection, const hlo::Module& module,
                                  const std::vector<hlo::InstructionId>& ids,
                                  const std::vector<language::NodeId>& nodes,
                                  const std::vector<std::string>& names) {
  const std::set<std::string> named(names.begin(), names.end());
  std::vector<std::string> lines;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (named.count("%" + module[ids[i]].name) == 0) continue;
    lines.push_back(line_of(inspection, module, ids[i], nodes[i]));
  }
  return lines;
}

// Equal for changes that are told alike: the rules, and what goes and comes.
std::string likeness(const Inspection& inspection, const language::Patch& patch,
                     const optimizer::Change& change) {
  std::string text;
  for (const std::string& rule : change.rules) text += rule + ",";
  const auto add = [&](const hlo::Module& module, const std::vector<hlo::InstructionId>& ids) {
    text += "|";
    for (hlo::InstructionId id : ids) {
      const hlo::Shape& shape = module[id].shape;
      text += std::string(hlo::to_string(module[id].opcode)) + " ";
      if (shape.is_array()) {
        text += std::string(hlo::to_string(shape.type)) + std::to_string(shape.rank()) + ",";
      }
    }
  };
  add(inspection.input(), patch.from);
  add(*inspection.output(), patch.to);
  return text;
}

class Explaining {
 public:
  Explaining(const Inspection& inspection, std::optional<hlo::InstructionId> at, bool each)
      : inspection_(inspection), at_(at), each_(each) {}

  Explained run() {
    all_.is_saturated = inspection_.is_saturated();
    all_.is_about_one = at_.has_value();
    add_changes();
    for (const optimizer::Kept& kept : inspection_.result().kept) {
      if (!at_ || kept.at == name_of(*at_)) all_.kept.push_back(kept);
    }
    add_refusals();
    if (at_ && all_.changes.empty()) all_.about_value = about_value();
    return std::move(all_);
  }

 private:
  std::string name_of(hlo::InstructionId id) const { return "%" + inspection_.input()[id].name; }

  void add_changes() {
    const std::vector<optimizer::Change>& changes = inspection_.result().changes;
    const std::vector<language::Patch>& patches = inspection_.patches();
    optimizer::Reasons reasons(inspection_);
    std::map<std::string, size_t> first_like;
    size_t told = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      if (at_ && !is_about(changes[i])) continue;
      ExplainedChange one;
      one.change = changes[i];
      if (i >= patches.size()) {  // another program than the e-graph's
        all_.changes.push_back(std::move(one));
        continue;
      }
      const language::Patch& patch = patches[i];
      std::vector<language::NodeId> nodes_from;
      for (hlo::InstructionId id : patch.from) {
        nodes_from.push_back(inspection_.program().imported().node_of[id]);
      }
      one.was = lines_of(inspection_, inspection_.input(), patch.from, nodes_from, one.change.from);
      one.now = lines_of(inspection_, *inspection_.output(), patch.to, patch.nodes, one.change.to);
      if (one.now.empty()) {
        one.now.push_back("%" + (*inspection_.output())[patch.replacement].name +
                          ", which is there already");
      }
      const auto [like, is_first] =
          first_like.try_emplace(likeness(inspection_, patch, one.change), all_.changes.size());
      if (!is_first && !each_) {
        one.like = like->second;
      } else if (told++ < kMostReasons) {
        one.reason = reasons.of_patch(patch);
      }
      all_.changes.push_back(std::move(one));
    }
  }

  bool is_about(const optimizer::Change& change) const {
    const std::string name = name_of(*at_);
    const hlo::Module& module = inspection_.input();
    if (change.computation != module.computations[module[*at_].computation].name) return false;
    return change.at == name || std::ranges::find(change.from, name) != change.from.end();
  }

  void add_refusals() {
    const std::vector<egraph::RuleStats>& rules = inspection_.program().saturation().rules;
    const language::ClassId cls = at_ ? inspection_.class_of(*at_) : egraph::kNoId;
    std::map<std::pair<std::string, std::string>, std::set<language::ClassId>> roots;
    for (egraph::Reason rule = 0; rule < rules.size(); ++rule) {
      for (const auto& [root, reason] : rules[rule].refused_at) {
        const language::ClassId found = inspection_.graph().find(root);
        if (at_ && found != cls) continue;
        const rules::RuleInfo& info = *inspection_.rule(rule);
        if (info.family == "see-through") tidying_.insert(info.name);
        roots[{info.name, reason}].insert(found);
      }
    }
    for (const auto& [key, classes] : roots) {
      Refused refused{key.first, key.second, tidying_.count(key.first) > 0, classes.size(), {}};
      for (language::ClassId one : classes) {
        if (refused.at.size() == kMostExamples) break;
        if (!inspection_.originals(one).empty()) refused.at.push_back(inspection_.name(one));
      }
      all_.refused.push_back(std::move(refused));
    }
  }

  std::string about_value() const {
    const std::string name = name_of(*at_);
    const std::optional<std::string> opaque = inspection_.why_opaque(*at_);
    if (!opaque) {
      return name + " stands in a computation without collectives, where nothing is changed";
    }
    if (!opaque->empty()) {
      return name + " is as it was; no rule looks into it (" + *opaque +
             "), though its operands may have changed";
    }
    size_t forms = 0;
    for (language::NodeId node : inspection_.graph().nodes(inspection_.class_of(*at_))) {
      forms += language::is_instruction(inspection_.hlo().op(node).kind);
    }
    if (forms <= 1) return name + " is as it was: no rule found another form of it";
    return name + " is as it was, the cheapest with all that stands around it, of " +
           std::to_string(forms) + " forms that were found";
  }

  const Inspection& inspection_;
  const std::optional<hlo::InstructionId> at_;
  const bool each_;
  std::set<std::string> tidying_;
  Explained all_;
};

}  // namespace

Explained explained(const Inspection& inspection, std::optional<hlo::InstructionId> at, bool each) {
  return Explaining(inspection, at, each).run();
}

}  // namespace flipsat::tools
