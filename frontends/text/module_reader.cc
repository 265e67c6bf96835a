#include "frontends/text/module_reader.h"

#include <algorithm>
#include <limits>

#include "frontends/text/header_reader.h"
#include "frontends/text/names.h"

namespace flipsat::frontends {

using hlo::Computation;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Module;
using hlo::Shape;
using hlo::SourceSpan;

namespace {

SourceSpan span(size_t begin, size_t end) {
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

}  // namespace

ModuleReader::ModuleReader(std::shared_ptr<const std::string> source, const std::string& file)
    : in_(*source, file), shapes_(in_), attributes_(in_, shapes_) {
  module_.file = file;
  module_.source = std::move(source);
}

Module ModuleReader::read() {
  if (module_.source->size() >= std::numeric_limits<uint32_t>::max()) {
    in_.fail_at(0, "expected a text of less than 4 GiB");
  }
  // Most lines are instructions; few texts have more than this.
  constexpr size_t kMostReserved = size_t{1} << 20;
  auto line_count = std::count(module_.source->begin(), module_.source->end(), '\n');
  module_.instructions.reserve(std::min(static_cast<size_t>(line_count) + 1, kMostReserved));
  module_.has_header = in_.take_word("HloModule");
  if (module_.has_header) {
    read_header(in_, shapes_, module_);
    read_computations();
  } else if (starts_computation()) {
    read_computations();
    module_.name = "module_" + module_.entry_computation().name;
  } else {
    read_lone_instruction();
    module_.name = "module_" + module_.entry_computation().name;
  }
  name_inlined_computations();
  in_.refuse_nul();
  return std::move(module_);
}

// `ENTRY`, `name {`, or a name with a signature.
bool ModuleReader::starts_computation() {
  in_.skip_space();
  size_t begin = in_.offset();
  if (in_.take_word("ENTRY")) {
    in_.seek(begin);
    return true;
  }
  in_.take('%');
  bool answer = false;
  if (!in_.word().empty()) {
    char next = in_.peek();
    if (next == '(') {
      in_.balanced();
      answer = in_.take("->");
    } else {
      answer = next == '{';
    }
  }
  in_.seek(begin);
  return answer;
}

void ModuleReader::read_computations() {
  do read_computation();
  while (!in_.at_end());
  if (module_.entry == kNoId) {
    module_.entry = module_.order.back();
    module_.computations[module_.entry].is_entry = true;
  }
}

// `[ENTRY] %name [(p: shape, ...) -> shape] { ... }[, execution_thread="t"]`
void ModuleReader::read_computation() {
  size_t begin = (in_.skip_space(), in_.offset());
  bool is_entry = in_.take_word("ENTRY");
  if (is_entry && module_.entry != kNoId) in_.fail_at(begin, "expected one ENTRY computation");
  size_t name_at = (in_.skip_space(), in_.offset());
  std::string_view name = in_.name("a computation");

  std::optional<Shape> result;
  size_t result_at = 0;
  skip_signature(result, result_at);

  Scope scope;
  scope.id = static_cast<ComputationId>(module_.computations.size());
  module_.computations.emplace_back().name = name;
  size_t body = (in_.skip_space(), in_.offset()) + 1;
  read_body(scope);
  size_t body_end = in_.offset() - 1;

  // Inlined computations that it holds have taken ids after its own and places before it.
  Computation& computation = module_.computations[scope.id];
  computation.body = span(body, body_end);
  computation.is_entry = is_entry;
  if (is_entry) module_.entry = scope.id;
  if (result && !compatible(*result, module_[computation.root].shape)) {
    in_.fail_at(result_at, "expected the shape of the root, " +
                               to_string_without_layout(module_[computation.root].shape));
  }
  size_t end = in_.offset();
  while (in_.take(',')) {
    size_t attribute = (in_.skip_space(), in_.offset());
    if (in_.attribute_name() != "execution_thread") {
      in_.fail_at(attribute, "expected execution_thread");
    }
    computation.execution_thread = unescape(in_.quoted());
    if (computation.execution_thread == "main") computation.execution_thread.clear();
    end = in_.offset();
  }
  computation.text = span(begin, end);
  if (!computation_names_.emplace(name, scope.id).second) {
    in_.fail_at(name_at,
                "expected a new computation name, '" + std::string(name) + "' is defined above");
  }
  module_.order.push_back(scope.id);
}

void ModuleReader::skip_signature(std::optional<Shape>& result, size_t& result_at) {
  if (!in_.take('(')) return;
  if (!in_.take(')')) {
    do {
      in_.name("a parameter name");
      in_.expect(':');
      shapes_.read();
    } while (in_.take(','));
    in_.expect(')');
  }
  in_.expect("->");
  result_at = (in_.skip_space(), in_.offset());
  result = shapes_.read();
}

void ModuleReader::read_body(Scope& scope) {
  if (++depth_ > kMaxDepth) {
    in_.fail("expected at most " + std::to_string(kMaxDepth) + " nested computations and operands");
  }
  size_t open = (in_.skip_space(), in_.offset());
  in_.expect('{');
  while (true) {
    char c = in_.peek();
    if (c == '}') break;
    if (c == '\0' && in_.at_end()) in_.fail_at(open, "expected '}' that closes this computation");
    read_instruction(scope);
  }
  finish_computation(scope, in_.offset());
  in_.advance();
  --depth_;
}

void ModuleReader::finish_computation(Scope& scope, size_t end_at) {
  if (scope.listed.empty()) in_.fail_at(end_at, "expected an instruction");
  collect_parameters(scope);
  name_unnamed(scope);
  list_instructions(scope);
  Computation& computation = module_.computations[scope.id];
  computation.root = scope.marked_root != kNoId ? scope.marked_root : scope.listed.back();
}

void ModuleReader::collect_parameters(Scope& scope) {
  std::vector<InstructionId> parameters;
  for (InstructionId id : scope.listed) {
    if (module_[id].opcode == hlo::Opcode::kParameter) parameters.push_back(id);
  }
  std::vector<InstructionId> by_number(parameters.size(), kNoId);
  for (InstructionId id : parameters) {
    const Instruction& parameter = module_[id];
    auto number = static_cast<uint64_t>(parameter.parameter_number);
    if (number >= parameters.size()) {
      in_.fail_at(parameter.operands_text.begin, "expected parameter numbers without gaps");
    }
    if (by_number[number] != kNoId) {
      in_.fail_at(parameter.operands_text.begin, "expected each parameter number once");
    }
    by_number[number] = id;
  }
  module_.computations[scope.id].parameters = std::move(by_number);
}

// Implicit and nested instructions get names that no other of the computation has.
void ModuleReader::name_unnamed(Scope& scope) {
  if (scope.implicit.empty() && scope.inlined.empty()) return;
  std::unordered_set<std::string> made;
  auto is_free = [&](const std::string& name) {
    return !scope.names.contains(name) && made.insert(name).second;
  };
  boost::unordered_flat_map<std::string, int64_t> next_number;
  auto name_as = [&](InstructionId id, std::string stem) {
    std::string name = stem;
    if (is_forbidden_name(name) || !is_free(name)) {
      int64_t& number = next_number[stem];
      do name = stem + "." + std::to_string(++number);
      while (!is_free(name));
    }
    module_[id].name = std::move(name);
  };
  for (InstructionId id : scope.inlined) name_as(id, std::string(to_string(module_[id].opcode)));
  for (InstructionId id : scope.implicit) {
    const Instruction& element = module_[id];
    name_as(id, module_[element.operands[0]].name + "_" + std::to_string(element.tuple_index()));
  }
}

// In text order, each implicit get-tuple-element right after the instruction that it takes from.
void ModuleReader::list_instructions(Scope& scope) {
  std::vector<InstructionId>& list = module_.computations[scope.id].instructions;
  if (scope.implicit.empty()) {
    list = scope.listed;
    return;
  }
  boost::unordered_flat_map<InstructionId, std::vector<InstructionId>> by_source;
  boost::unordered_flat_map<InstructionId, InstructionId> source_of;
  for (InstructionId id : scope.implicit) {
    InstructionId source = module_[id].operands[0];
    auto outer = source_of.find(source);
    if (outer != source_of.end()) source = outer->second;
    source_of[id] = source;
    by_source[source].push_back(id);
  }
  list.reserve(scope.listed.size() + scope.implicit.size());
  for (InstructionId id : scope.listed) {
    list.push_back(id);
    auto elements = by_source.find(id);
    if (elements == by_source.end()) continue;
    list.insert(list.end(), elements->second.begin(), elements->second.end());
  }
}

// Only when all names are known can those of inlined computations be chosen.
void ModuleReader::name_inlined_computations() {
  int64_t number = 0;
  for (ComputationId id = 0; id < module_.computations.size(); ++id) {
    Computation& computation = module_.computations[id];
    if (!computation.is_inlined) continue;
    do computation.name = "inlined." + std::to_string(++number);
    while (computation_names_.contains(computation.name));
  }
}

// `[ROOT] %name = [shape] opcode(...), ...` or without a name, as a module of its own. Operands
// that nothing defines are its parameters, by order of mention.
// `(shape, ...) opcode(`, `shape opcode(` or `opcode(`, as far as one word tells.
bool ModuleReader::starts_right_side() {
  const size_t begin = in_.offset();
  bool answer = in_.peek() == '(';
  if (!answer && !in_.word().empty()) {
    const char next = in_.peek();
    answer = next == '(' || next == '[';
  }
  in_.seek(begin);
  return answer;
}

void ModuleReader::read_lone_instruction() {
  Scope scope;
  scope.id = 0;
  scope.makes_parameters = true;
  module_.computations.emplace_back();
  size_t begin = (in_.skip_space(), in_.offset());
  bool has_root = in_.take_word("ROOT");
  in_.take('%');
  in_.word();
  bool has_name = in_.peek() == '=';
  in_.seek(begin);
  InstructionId id;
  if (has_name || has_root) {
    read_instruction(scope);
    id = scope.listed.back();
  } else {
    if (!starts_right_side()) {
      in_.fail_at(begin, "expected HloModule, a computation or an instruction");
    }
    id = read_right_side(scope, {{}, begin, begin, false}, false);
    module_[id].name = std::string(to_string(module_[id].opcode)) + ".1";
  }
  if (!in_.at_end()) in_.fail("expected the end of the text");
  finish_computation(scope, in_.offset());
  Computation& computation = module_.computations[0];
  computation.name = module_[id].name;
  computation.is_entry = true;
  module_.order.push_back(0);
  module_.entry = 0;
}

}  // namespace flipsat::frontends
