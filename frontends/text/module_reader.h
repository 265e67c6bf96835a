// Builds a Module from HLO text in one pass.
//
// Names are looked up in a hash of the computation's names, which are views into the text. Operands
// nest (`add(f32[] multiply(%a, %b), %c)`) and computations nest (`to_apply={ ... }`); both count
// against one small depth limit, all other nesting is by loops.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <unordered_set>

#include "frontends/text/attribute_reader.h"
#include "frontends/text/scanner.h"
#include "frontends/text/shape_reader.h"
#include "hlo/module.h"

namespace flipsat::frontends {

class ModuleReader {
 public:
  ModuleReader(std::shared_ptr<const std::string> source, const std::string& file);

  hlo::Module read();

 private:
  template <typename Value>
  using NameMap = boost::unordered_flat_map<std::string_view, Value>;

  // One computation while it is read.
  struct Scope {
    hlo::ComputationId id = hlo::kNoId;
    NameMap<hlo::InstructionId> names;
    // Implicit get-tuple-elements by tuple and index, and in order of creation.
    boost::unordered_flat_map<uint64_t, hlo::InstructionId> elements;
    std::vector<hlo::InstructionId> implicit;
    std::vector<hlo::InstructionId> inlined;
    std::vector<hlo::InstructionId> listed;  // all but the implicit ones
    hlo::InstructionId marked_root = hlo::kNoId;
    bool makes_parameters = false;  // a lone instruction: unknown operands become parameters
  };
  // What stands before the opcode.
  struct Head {
    std::string_view name;
    size_t name_at = 0;
    size_t begin = 0;
    bool is_root = false;
  };

  void read_computations();
  void read_computation();
  bool starts_right_side();
  void read_lone_instruction();
  bool starts_computation();
  void skip_signature(std::optional<hlo::Shape>& result, size_t& result_at);
  void read_body(Scope& scope);
  void finish_computation(Scope& scope, size_t end_at);
  void collect_parameters(Scope& scope);
  void name_unnamed(Scope& scope);
  void list_instructions(Scope& scope);
  void name_inlined_computations();

  void read_instruction(Scope& scope);
  hlo::InstructionId read_right_side(Scope& scope, const Head& head, bool is_inlined);
  void read_opcode(hlo::Instruction& instruction);
  void read_operands(Scope& scope, hlo::Instruction& instruction);
  hlo::InstructionId read_operand(Scope& scope);
  hlo::InstructionId read_nested_operand(Scope& scope, size_t begin);
  hlo::InstructionId read_named_operand(Scope& scope, size_t begin,
                                        const std::optional<hlo::Shape>& shape);
  hlo::InstructionId element_of(Scope& scope, hlo::InstructionId tuple, int64_t index, size_t at);
  hlo::InstructionId make_parameter(Scope& scope, std::string_view name, const hlo::Shape& shape,
                                    size_t begin);
  void read_attributes(Scope& scope, hlo::Instruction& instruction);
  hlo::AttributeValue read_value(Scope& scope, hlo::AttributeKey key);
  hlo::ComputationId read_computation_reference();
  hlo::ComputationList read_computation_references();
  hlo::ComputationId read_inlined_computation();
  bool names_follow();
  hlo::InstructionList read_instruction_references(Scope& scope);
  hlo::InstructionId add(Scope& scope, hlo::Instruction instruction);

  static constexpr int kMaxDepth = 200;

  Scanner in_;
  ShapeReader shapes_;
  AttributeReader attributes_;
  hlo::Module module_;
  NameMap<hlo::ComputationId> computation_names_;
  std::vector<hlo::Attribute> attribute_buffer_;
  std::vector<hlo::InstructionId> operand_buffer_;
  int depth_ = 0;
};

}  // namespace flipsat::frontends
