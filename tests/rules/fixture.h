// Rules on a few lines of HLO: what the e-graph holds after saturation, what was refused, and
// whether a form that it holds computes what the input does.
//
//   Saturated run(program("x = f32[4,8] parameter(0)\n..."), only({"gather-convert"}));
//   run.holds("r", "all-gather{0}(bf16[4,8] convert(x))");
//   run.refused("gather-reshape/forward");   // reason: number of roots
//   run.check_form("r", "all-gather{0}(convert(x))");
//
// A pattern is an operation over patterns, with the class's shape before it and the operator's
// integers (dims, permutation, sizes) in braces behind it where they matter; the name of an
// instruction of the input, which stands for its class; `values{0,4}`, a scalar with these values
// on the devices; or `_`, anything.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "egraph/runner.h"
#include "hlo/call_graph.h"
#include "language/export.h"
#include "rules/rule_book.h"

namespace flipsat::rules::testing {

struct Setup {
  RuleOptions rules;
  std::unordered_set<std::string> assume_replicated;
  hlo::DeviceCountOverrides devices;
  std::vector<Family> families = all_families();
};

// No rules but these.
Setup only(std::set<std::string> names, hlo::Numerics numerics = hlo::Numerics::kExact);

// A module with the given lines as its entry computation. Reducers that the lines name as
// to_apply=<opcode>_<type> are written before it.
std::string program(const std::string& lines, const std::string& header = "num_partitions=4");

// Attributes of collectives, with a channel and global ids.
std::string in_groups(const std::string& groups, int channel = 1);
inline const std::string kOverAll =
    ", channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true";

class Saturated {
 public:
  explicit Saturated(const std::string& text, const Setup& setup = {});

  // The node at the top of the first form of the instruction's class that fits.
  std::optional<language::NodeId> find(const std::string& at, const std::string& pattern) const;
  bool holds(const std::string& at, const std::string& pattern) const {
    return find(at, pattern).has_value();
  }
  // The same in a class that directed edges lead to, one or several.
  bool refines_to(const std::string& at, const std::string& pattern) const;
  bool same_class(const std::string& a, const std::string& b) const;
  // The groups of a collective in a form, "{{0,1},{2,3}}" as device ids.
  std::string groups(const std::string& at, const std::string& pattern) const;
  hlo::Reducer reducer(const std::string& at, const std::string& pattern) const;

  // Reasons for which a rewrite ("gather-reshape/forward") was refused, with the number of roots;
  // those of all the family's rewrites where only the family is named.
  std::map<std::string, uint64_t> refused(const std::string& rule) const;
  // The one reason; "" where there is none, "several" where there are more.
  std::string refusal(const std::string& rule) const;

  // The input with the instruction's class defined by the form, as text. A name alone: everything
  // in the class is that instruction.
  std::string with_form(const std::string& at, const std::string& pattern);
  // Checks that the input and the input with the form give the same: bit for bit on numbers,
  // special ones among them (under reassoc: within the error of a sum's order; where numbers are
  // assumed finite: on those, but for the signs of zeros), and by the symbolic verifier.
  void check_form(const std::string& at, const std::string& pattern);

  const hlo::Module& module() const { return module_; }
  const language::HloGraph& hlo() const { return *hlo_; }
  hlo::InstructionId id_of(const std::string& name) const;
  language::ClassId class_of(const std::string& name) const;

 private:
  struct Form;
  std::optional<language::NodeId> match(language::ClassId cls, const Form& form,
                                        language::Selection* chosen) const;
  std::optional<language::NodeId> match_node(language::NodeId node, const Form& form,
                                             language::Selection* chosen) const;
  void check_bits(const hlo::Module& after) const;
  void define_what_is_new(language::Selection& selection) const;

  Setup setup_;
  hlo::Module module_;
  hlo::DeviceCounts counts_;
  std::unique_ptr<hlo::CallGraph> calls_;
  std::unique_ptr<language::HloGraph> hlo_;
  std::unique_ptr<RuleBook> book_;
  language::Import import_;
  egraph::RunReport report_;
};

}  // namespace flipsat::rules::testing
