// A module that was read and perhaps changed, as text: what nobody touched is copied.
//
// A computation's body is its instructions and the gaps between them. Each gap is cut in three:
// what still belongs to the line before, whole lines of comments, and the indentation of the next
// instruction. Instructions are emitted in the module's order, each with its own gaps; those that
// are gone take their line along and leave the comment lines. Where nothing changed, the pieces add
// up to the source again.
#pragma once

#include <string>
#include <vector>

#include "frontends/text/line_patcher.h"
#include "hlo/module.h"

namespace flipsat::frontends {

class ModulePatcher {
 public:
  explicit ModulePatcher(const hlo::Module& module);

  std::string text();

 private:
  // The gap before an instruction or the closing brace.
  struct Gap {
    std::string_view tail;    // of the line before
    std::string_view middle;  // whole lines
    std::string_view lead;    // newline and indentation
  };

  void find_source_lines();
  void find_changes();
  bool is_printed(hlo::InstructionId id) const;
  bool is_marked_root(hlo::InstructionId id) const;
  bool marks_root(const hlo::Computation& computation, hlo::ComputationId id) const;
  bool has_changed_parts(const hlo::Instruction& instruction) const;

  void append_header(std::string& out);
  void append_computations(std::string& out);
  void find_written();
  std::string_view gap_before(hlo::ComputationId id) const;
  void append_computation(hlo::ComputationId id, bool mark_entry, std::string& out);
  bool line_differs(hlo::InstructionId id);
  bool same_head(hlo::ComputationId id, const SourceLineReader::Header& header);
  void append_computation_head(hlo::ComputationId id, bool mark_entry, std::string& out);
  void append_body(hlo::ComputationId id, std::string& out);
  void append_line(hlo::InstructionId id, bool mark_root, std::string& out);
  void append_inlined(hlo::ComputationId id, std::string& out);
  Gap gap(size_t begin, size_t end) const;

  const hlo::Module& module_;
  std::string_view source_;
  PrintStyle style_;
  std::vector<bool> own_line_;
  std::vector<bool> live_;
  std::vector<bool> has_source_;       // the first instruction that claims its span
  std::vector<bool> changed_;          // must be printed anew, at least in part
  std::vector<bool> inlined_changed_;  // by computation
  std::vector<std::vector<hlo::InstructionId>> source_lines_;  // by computation, in text order
  LinePatcher lines_;
  size_t header_end_ = 0;                    // where the source's header line ends
  std::vector<hlo::ComputationId> written_;  // computations of the source, in text order
  std::vector<size_t> written_index_;        // by computation
  bool any_entry_mark_ = false;
};

}  // namespace flipsat::frontends
