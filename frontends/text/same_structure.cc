#include "frontends/text/same_structure.h"

#include <algorithm>
#include <map>

#include "frontends/text/print_style.h"

namespace flipsat::frontends {

using hlo::Attribute;
using hlo::Computation;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::Module;
using hlo::Shape;

namespace {

bool same_shape(const Shape& a, const Shape& b) {
  if (!a.same_value_shape(b)) return false;
  if (a.parts) {
    return std::equal(a.parts->begin(), a.parts->end(), b.parts->begin(), b.parts->end(),
                      same_shape);
  }
  return (is_default_layout(a) && is_default_layout(b)) ||
         (a.layout && b.layout && *a.layout == *b.layout);
}

bool same_literal(const hlo::LiteralRef& a, const hlo::LiteralRef& b) {
  if (!a || !b) return !a && !b;
  if (a->elided || b->elided) return a->elided == b->elided;
  return *a == *b;
}

// Pairs up computations and instructions by their places in the order and in the lists.
class Comparison {
 public:
  Comparison(const Module& a, const Module& b) : a_(a), b_(b) {}

  std::string run() {
    if (a_.name != b_.name) return "module names " + a_.name + " and " + b_.name;
    if (a_.order.size() != b_.order.size()) return "numbers of computations";
    if (a_.is_scheduled != b_.is_scheduled) return "is_scheduled";
    if (a_.replica_count.value_or(1) != b_.replica_count.value_or(1)) return "replica_count";
    if (a_.num_partitions.value_or(1) != b_.num_partitions.value_or(1)) return "num_partitions";
    for (size_t i = 0; i < a_.order.size(); ++i) computations_[a_.order[i]] = b_.order[i];
    if (computations_[a_.entry] != b_.entry) return "entry computations";
    for (ComputationId id : a_.order) {
      std::string difference = compare(a_.computations[id], b_.computations[computations_[id]]);
      if (!difference.empty()) return difference;
    }
    return {};
  }

 private:
  std::string compare(const Computation& a, const Computation& b) {
    std::string where = "computation " + a.name + ": ";
    if (a.name != b.name && !(a.is_inlined && b.is_inlined)) return where + "its name, " + b.name;
    if (a.execution_thread != b.execution_thread) return where + "execution_thread";
    if (a.is_entry != b.is_entry) return where + "is_entry";
    if (a.instructions.size() != b.instructions.size()) return where + "numbers of instructions";
    for (size_t i = 0; i < a.instructions.size(); ++i) {
      instructions_[a.instructions[i]] = b.instructions[i];
    }
    if (instructions_[a.root] != b.root) return where + "roots";
    for (InstructionId id : a.instructions) {
      std::string difference = compare(a_[id], b_[instructions_[id]]);
      if (!difference.empty()) return where + "instruction " + a_[id].name + ": " + difference;
    }
    return {};
  }

  std::string compare(const Instruction& a, const Instruction& b) {
    bool unnamed = (a.is_inlined || a.implicit) && (b.is_inlined || b.implicit);
    if (a.name != b.name && !unnamed) return "its name, " + b.name;
    if (a.opcode != b.opcode || a.wrapped != b.wrapped) return "opcode";
    if (!same_shape(a.shape, b.shape)) return "shape";
    if (a.parameter_number != b.parameter_number) return "parameter number";
    if (!same_literal(a.literal, b.literal)) return "literal";
    if (!same_operands(a.operands, b.operands)) return "operands";
    if (a.attributes.size() != b.attributes.size()) return "numbers of attributes";
    for (const Attribute& attribute : a.attributes) {
      auto other = std::find_if(b.attributes.begin(), b.attributes.end(), [&](const Attribute& o) {
        return o.spelled_name() == attribute.spelled_name();
      });
      if (other == b.attributes.end() || !same_value(attribute, *other)) {
        return "attribute " + std::string(attribute.spelled_name());
      }
    }
    return {};
  }

  bool same_operands(const std::vector<InstructionId>& a, const std::vector<InstructionId>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](InstructionId x, InstructionId y) { return instructions_[x] == y; });
  }

  bool same_value(const Attribute& a, const Attribute& b) {
    if (a.value.index() != b.value.index()) return false;
    if (std::holds_alternative<std::monostate>(a.value)) return a.text == b.text;
    if (const auto* groups = std::get_if<hlo::ReplicaGroupsRef>(&a.value)) {
      return **groups == **std::get_if<hlo::ReplicaGroupsRef>(&b.value);
    }
    if (const auto* called = std::get_if<hlo::ComputationList>(&a.value)) {
      const auto& others = std::get<hlo::ComputationList>(b.value);
      return std::equal(called->begin(), called->end(), others.begin(), others.end(),
                        [&](ComputationId x, ComputationId y) { return computations_[x] == y; });
    }
    if (const auto* list = std::get_if<hlo::InstructionList>(&a.value)) {
      return same_operands(list->ids, std::get<hlo::InstructionList>(b.value).ids);
    }
    return a.value == b.value;
  }

  const Module& a_;
  const Module& b_;
  std::map<ComputationId, ComputationId> computations_;
  std::map<InstructionId, InstructionId> instructions_;
};

}  // namespace

std::string first_difference(const Module& a, const Module& b) { return Comparison(a, b).run(); }

}  // namespace flipsat::frontends
