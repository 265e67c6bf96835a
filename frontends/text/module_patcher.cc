#include "frontends/text/module_patcher.h"

#include <algorithm>

#include "frontends/text/computation_printer.h"
#include "frontends/text/header_reader.h"
#include "frontends/text/own_lines.h"

namespace flipsat::frontends {

using hlo::Computation;
using hlo::ComputationId;
using hlo::Instruction;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Module;

ModulePatcher::ModulePatcher(const Module& module)
    : module_(module),
      source_(*module.source),
      style_(style_of(module)),
      own_line_(own_lines(module)),
      live_(hlo::live_instructions(module)),
      has_source_(module.instructions.size(), false),
      changed_(module.instructions.size(), false),
      inlined_changed_(module.computations.size(), false),
      source_lines_(module.computations.size()),
      lines_(module, style_, own_line_) {
  lines_.set_inlined([this](ComputationId id, std::string& out) { append_inlined(id, out); },
                     [this](ComputationId id) -> bool { return inlined_changed_[id]; });
  find_source_lines();
  find_changes();
}

// An instruction copied from another has its span too; only the first to claim a span has it.
void ModulePatcher::find_source_lines() {
  std::vector<std::pair<uint32_t, InstructionId>> spans;
  for (InstructionId id = 0; id < module_.instructions.size(); ++id) {
    const Instruction& instruction = module_[id];
    if (!instruction.text.empty() && !instruction.implicit) {
      spans.emplace_back(instruction.text.begin, id);
    }
  }
  std::sort(spans.begin(), spans.end());
  for (size_t i = 0; i < spans.size(); ++i) {
    // A nested first operand of a lone instruction without a name begins where its user does.
    if (i > 0 && spans[i].first == spans[i - 1].first) continue;
    InstructionId id = spans[i].second;
    has_source_[id] = true;
    if (!module_[id].is_inlined) source_lines_[module_[id].computation].push_back(id);
  }
}

void ModulePatcher::find_changes() {
  // Operands come before users and inlined computations before what they are written in, so one
  // walk settles all.
  for (ComputationId computation : module_.order) {
    for (InstructionId id : module_.computations[computation].instructions) {
      const Instruction& instruction = module_[id];
      bool changed = instruction.touched || !has_source_[id] || has_changed_parts(instruction);
      for (const hlo::Attribute& attribute : instruction.attributes) {
        const auto* called = std::get_if<hlo::ComputationList>(&attribute.value);
        if (!called) continue;
        for (ComputationId callee : *called) changed = changed || inlined_changed_[callee];
      }
      changed_[id] = changed;
    }
    if (!module_.computations[computation].is_inlined) continue;
    std::string text;
    append_inlined(computation, text);
    inlined_changed_[computation] =
        text != module_.source_text(module_.computations[computation].text);
  }
}

// Names and nested operands that the instruction's text spells.
bool ModulePatcher::has_changed_parts(const Instruction& instruction) const {
  auto spells_anew = [&](InstructionId id) {
    const Instruction& part = module_[id];
    if (lines_.printer().is_nested(id)) return static_cast<bool>(changed_[id]);
    if (part.is_inlined) return true;
    if (part.implicit) return static_cast<bool>(own_line_[id] || changed_[part.operands[0]]);
    return part.touched;
  };
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), spells_anew) ||
         std::any_of(instruction.control_predecessors().begin(),
                     instruction.control_predecessors().end(), spells_anew);
}

bool ModulePatcher::is_printed(InstructionId id) const {
  return !lines_.printer().is_element(id) && !lines_.printer().is_nested(id);
}

bool ModulePatcher::is_marked_root(InstructionId id) const {
  if (!has_source_[id]) return false;
  std::string_view text = module_.source_text(module_[id].text);
  return text.starts_with("ROOT") && !is_word_char(text[4]);
}

// Does this computation mark its root? Without any mark the last instruction is the root.
bool ModulePatcher::marks_root(const Computation& computation, ComputationId id) const {
  for (InstructionId line : source_lines_[id]) {
    if (is_marked_root(line)) return true;
  }
  for (auto last = computation.instructions.rbegin(); last != computation.instructions.rend();
       ++last) {
    if (is_printed(*last)) return *last != computation.root;
  }
  return true;
}

ModulePatcher::Gap ModulePatcher::gap(size_t begin, size_t end) const {
  std::string_view text = source_.substr(begin, end - begin);
  GapNewlines newlines = newlines_of(text);
  if (newlines.first == text.npos) return {{}, {}, text};
  return {text.substr(0, newlines.first),
          text.substr(newlines.first, newlines.last - newlines.first), text.substr(newlines.last)};
}

void ModulePatcher::append_line(InstructionId id, bool mark_root, std::string& out) {
  if (!has_source_[id] || module_[id].is_inlined) {
    if (mark_root) out += "ROOT ";
    lines_.printer().append_instruction(id, out);
  } else if (!changed_[id] && mark_root == is_marked_root(id)) {
    out += module_.source_text(module_[id].text);
  } else {
    lines_.append(id, mark_root, out);
  }
}

// What stands between the braces.
void ModulePatcher::append_body(ComputationId id, std::string& out) {
  const Computation& computation = module_.computations[id];
  const std::vector<InstructionId>& lines = source_lines_[id];
  std::vector<Gap> gaps;
  size_t begin = computation.body.begin;
  for (InstructionId line : lines) {
    gaps.push_back(gap(begin, module_[line].text.begin));
    begin = module_[line].text.end;
  }
  gaps.push_back(gap(begin, computation.body.end));

  std::string own_indentation = style_.newline + style_.indentation;
  if (!lines.empty() && !gaps[0].lead.empty() && gaps[0].lead[0] == '\n') {
    own_indentation = style_.newline + std::string(gaps[0].lead.substr(1));
  }
  bool marks = marks_root(computation, id);
  size_t after = SIZE_MAX;  // the source line just emitted, +1; 0 at the opening brace
  size_t next_middle = 0;   // whole lines of comments up to here are out
  auto index_of = [&](InstructionId instruction) {
    auto at = std::lower_bound(lines.begin(), lines.end(), instruction,
                               [&](InstructionId a, InstructionId b) {
                                 return module_[a].text.begin < module_[b].text.begin;
                               });
    return static_cast<size_t>(at - lines.begin());
  };
  out += gaps[0].tail;
  after = 0;
  for (InstructionId instruction : computation.instructions) {
    if (!is_printed(instruction)) continue;
    bool mark_root = marks && instruction == computation.root;
    if (!has_source_[instruction] || module_[instruction].is_inlined ||
        module_[instruction].computation != id) {
      out += own_indentation;
      append_line(instruction, mark_root, out);
      after = SIZE_MAX;
      continue;
    }
    size_t index = index_of(instruction);
    // Comment lines of what is gone stay where they stood.
    for (; next_middle < index && !live_[lines[next_middle]]; ++next_middle) {
      out += gaps[next_middle].middle;
    }
    if (next_middle == index) ++next_middle;
    out += gaps[index].middle;
    bool in_place = after == index;
    bool breaks_line = gaps[index].lead.find('\n') != std::string_view::npos;
    out += in_place || breaks_line ? std::string(gaps[index].lead) : own_indentation;
    append_line(instruction, mark_root, out);
    out += gaps[index + 1].tail;
    after = index + 1;
  }
  for (; next_middle < lines.size(); ++next_middle) {
    if (!live_[lines[next_middle]]) out += gaps[next_middle].middle;
  }
  out += gaps.back().middle;
  bool breaks_line = gaps.back().lead.find('\n') != std::string_view::npos;
  if (after != lines.size() && !breaks_line) out += style_.newline;
  out += gaps.back().lead;
}

void ModulePatcher::append_inlined(ComputationId id, std::string& out) {
  const Computation& computation = module_.computations[id];
  if (computation.text.empty()) {
    out += '{';
    for (InstructionId instruction : computation.instructions) {
      if (!is_printed(instruction)) continue;
      out += ' ';
      append_line(instruction, instruction == computation.root, out);
    }
    out += " }";
    return;
  }
  out += source_.substr(computation.text.begin, computation.body.begin - computation.text.begin);
  append_body(id, out);
  out += source_.substr(computation.body.end, computation.text.end - computation.body.end);
}

bool ModulePatcher::line_differs(InstructionId id) {
  if (!changed_[id]) return false;
  if (!has_source_[id]) return true;
  std::string text;
  append_line(id, is_marked_root(id), text);
  return text != module_.source_text(module_[id].text);
}

// What the header spells and the module no longer says: name, ENTRY, the root's shape, parameters.
bool ModulePatcher::same_head(ComputationId id, const SourceLineReader::Header& header) {
  const Computation& computation = module_.computations[id];
  if (header.name != computation.name) return false;
  if (!header.result) return true;
  InstructionId source_root = source_lines_[id].empty() ? kNoId : source_lines_[id].back();
  for (InstructionId line : source_lines_[id]) {
    if (is_marked_root(line)) source_root = line;
  }
  bool root_changed = computation.root != source_root || line_differs(computation.root);
  if (root_changed && !header.result->same_value_shape(module_[computation.root].shape)) {
    return false;
  }
  const auto& parameters = computation.parameters;
  bool parameters_changed = std::any_of(parameters.begin(), parameters.end(),
                                        [&](InstructionId id) { return line_differs(id); });
  if (!parameters_changed) return true;
  return std::equal(header.parameters.begin(), header.parameters.end(), parameters.begin(),
                    parameters.end(), [&](const auto& written, InstructionId parameter) {
                      return written.first == module_[parameter].name &&
                             written.second.same_value_shape(module_[parameter].shape);
                    });
}

void ModulePatcher::append_computation_head(ComputationId id, bool mark_entry, std::string& out) {
  const Computation& computation = module_.computations[id];
  std::string_view written = module_.source_text({computation.text.begin, computation.body.begin});
  SourceLineReader::Header header = lines_.reader().read_header(computation);
  bool same = header.is_entry == mark_entry && same_head(id, header);
  if (same) {
    out += written;
    return;
  }
  PrintStyle style = style_;
  style.signatures = header.has_signature;
  frontends::append_computation_head(LinePrinter(module_, style, own_line_), module_, id,
                                     mark_entry, out);
}

void ModulePatcher::append_computation(ComputationId id, bool mark_entry, std::string& out) {
  const Computation& computation = module_.computations[id];
  if (computation.text.empty()) {
    frontends::append_computation(lines_.printer(), module_, id, mark_entry, out);
    return;
  }
  append_computation_head(id, mark_entry, out);
  append_body(id, out);
  out += source_.substr(computation.body.end, computation.text.end - computation.body.end);
}

// The header as read, or made anew where the module says something else.
void ModulePatcher::append_header(std::string& out) {
  if (!module_.has_header) return;
  Scanner in(*module_.source, module_.file);
  ShapeReader shapes(in);
  Module read;
  in.take_word("HloModule");
  size_t begin = in.offset() - std::string_view("HloModule").size();
  read_header_line(in, shapes, read);
  bool same = read.name == module_.name && read.header.size() == module_.header.size() &&
              std::equal(read.header.begin(), read.header.end(), module_.header.begin(),
                         [](const hlo::HeaderAttribute& a, const hlo::HeaderAttribute& b) {
                           return a.name == b.name && a.text == b.text;
                         });
  out += source_.substr(0, same ? in.offset() : begin);
  if (!same) append_module_header(module_, out);
  header_end_ = in.offset();
}

void ModulePatcher::find_written() {
  for (ComputationId id = 0; id < module_.computations.size(); ++id) {
    const Computation& computation = module_.computations[id];
    if (computation.is_inlined || computation.text.empty()) continue;
    written_.push_back(id);
    std::string_view head = module_.source_text(computation.text);
    any_entry_mark_ = any_entry_mark_ || (head.starts_with("ENTRY") && !is_word_char(head[5]));
  }
  std::sort(written_.begin(), written_.end(), [&](ComputationId a, ComputationId b) {
    return module_.computations[a].text.begin < module_.computations[b].text.begin;
  });
  written_index_.resize(module_.computations.size(), 0);
  for (size_t i = 0; i < written_.size(); ++i) written_index_[written_[i]] = i;
}

std::string_view ModulePatcher::gap_before(ComputationId id) const {
  size_t index = written_index_[id];
  size_t begin = index == 0 ? header_end_ : module_.computations[written_[index - 1]].text.end;
  return source_.substr(begin, module_.computations[id].text.begin - begin);
}

void ModulePatcher::append_computations(std::string& out) {
  find_written();
  std::vector<ComputationId> printed;
  for (ComputationId id : module_.order) {
    if (!module_.computations[id].is_inlined) printed.push_back(id);
  }
  bool mark_entry = any_entry_mark_ || (!printed.empty() && printed.back() != module_.entry);
  const std::string apart = style_.newline + style_.newline;
  if (!written_.empty()) out += gap_before(written_.front());
  for (size_t i = 0; i < printed.size(); ++i) {
    const Computation& computation = module_.computations[printed[i]];
    bool is_first_written = !written_.empty() && printed[i] == written_.front();
    bool has_gap = !computation.text.empty() && !is_first_written;
    std::string_view gap = has_gap ? gap_before(printed[i]) : std::string_view(apart);
    // The first stands right behind the header's gap; its own comments come along.
    if (i == 0) gap.remove_prefix(std::min(gap.size(), gap.find_first_not_of(" \t\r\n")));
    out += gap;
    append_computation(printed[i], mark_entry && printed[i] == module_.entry, out);
  }
  size_t end = written_.empty() ? header_end_ : module_.computations[written_.back()].text.end;
  out += source_.substr(end);
}

std::string ModulePatcher::text() {
  std::string out;
  out.reserve(source_.size() + source_.size() / 16 + 256);
  append_header(out);
  append_computations(out);
  return out;
}

}  // namespace flipsat::frontends
