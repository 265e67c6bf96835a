#include "optimizer/harness/rewriter.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "egraph/runner.h"
#include "language/export.h"

namespace flipsat::optimizer {

using language::ClassId;
using language::HloGraph;
using language::NodeId;

namespace {

// A small program's e-graph, all of it algebra, saturated with some rewrites of one family.
class SaturatedProgram {
 public:
  SaturatedProgram(const hlo::Module& module, const rules::Family& family,
                   const std::string& prefix, hlo::Numerics numerics, const egraph::Limits& limits)
      : module_(module),
        counts_(hlo::infer_device_counts(module, {})),
        calls_(module),
        hlo_(counts_),
        import_(import()),
        book_(hlo_,
              {.numerics = numerics,
               .disable = {},
               .only = {},
               .assume_finite = family.info.needs_finite},
              {family}) {
    book_.prepare();
    is_original_.assign(hlo_.graph().node_bound(), false);
    for (NodeId node : import_.node_of) {
      if (node != egraph::kNoId) is_original_[node] = true;
    }
    for (ClassId cls : import_.class_of) {
      class_before_.push_back(cls == egraph::kNoId ? cls : hlo_.graph().find(cls));
    }
    egraph::RuleSet chosen;
    for (uint32_t i = 0; i < book_.set().size(); ++i) {
      if (book_.set()[i].name().starts_with(prefix)) chosen.add(book_.set()[i]);
    }
    if (chosen.size() == 0) throw std::logic_error("no rewrite is named " + prefix);
    egraph::RunOptions run;
    run.limits = limits;
    report_ = egraph::run(hlo_.graph(), chosen, run);
    is_original_.resize(hlo_.graph().node_bound(), false);
  }

  // The program with one of its values defined as a rewrite has it, for each such definition.
  Rewrites forms(Promise promise, Promise behind_edges) {
    Rewrites result;
    const egraph::EGraph& graph = hlo_.graph();
    originals_ = language::originals_by_class(module_, import_, hlo_);
    find_smallest();
    for (const auto& [cls, originals] : originals_) {
      bool is_joined = std::any_of(originals.begin(), originals.end(), [&](hlo::InstructionId id) {
        return class_before_[id] != class_before_[originals.front()];
      });
      for (NodeId node : std::vector<NodeId>(graph.nodes(cls).begin(), graph.nodes(cls).end())) {
        if (is_joined || !is_original_[node]) add_form(cls, node, promise, result);
      }
      for (const egraph::Edge& edge :
           std::vector<egraph::Edge>(graph.edges(cls).begin(), graph.edges(cls).end())) {
        ClassId to = graph.find(edge.to);
        for (NodeId node : std::vector<NodeId>(graph.nodes(to).begin(), graph.nodes(to).end())) {
          add_form(cls, node, behind_edges, result);
        }
      }
    }
    if (result.forms.empty()) result.refusal = refusal();
    return result;
  }

 private:
  language::Import import() {
    hlo::Uniformity uniformity(module_, counts_, calls_, {});
    hlo::DeviceValues values(module_, counts_, calls_);
    std::vector<bool> all(module_.instructions.size(), true);
    return language::import_module(module_, {counts_, calls_, uniformity, values}, all, hlo_);
  }

  void add_form(ClassId cls, NodeId node, Promise promise, Rewrites& result) {
    if (!language::is_instruction(hlo_.op(node).kind)) return;
    language::Selection selection;
    selection.chosen[cls] = node;
    define_what_is_new(node, selection);
    auto exported = language::export_module(module_, import_, hlo_, selection);
    if (!exported) return;  // defined by itself
    result.forms.push_back({std::move(exported->module), promise});
  }

  // Smallest definitions of classes that the program does not hold.
  void find_smallest() {
    const egraph::EGraph& graph = hlo_.graph();
    std::map<ClassId, uint64_t> size;
    for (ClassId cls : graph.classes()) size[cls] = originals_.count(cls) ? 0 : 1'000'000;
    for (bool changed = true; changed;) {
      changed = false;
      for (ClassId cls : graph.classes()) {
        if (originals_.count(cls)) continue;
        for (NodeId node : graph.nodes(cls)) {
          if (!language::is_instruction(hlo_.op(node).kind)) continue;
          uint64_t total = 1;
          for (ClassId child : graph.children(node)) total += size[graph.find(child)];
          if (total >= size[cls]) continue;
          size[cls] = total;
          smallest_[cls] = node;
          changed = true;
        }
      }
    }
  }

  void define_what_is_new(NodeId node, language::Selection& selection) const {
    for (ClassId name : hlo_.graph().children(node)) {
      ClassId child = hlo_.graph().find(name);
      if (originals_.count(child) || selection.chosen.count(child)) continue;
      selection.chosen[child] = smallest_.at(child);
      define_what_is_new(smallest_.at(child), selection);
    }
  }

  // Of several, one that says more than that the match was of another kind: the last in the order
  // of the rules.
  std::string refusal() const {
    std::string reason = "no match";
    for (const egraph::RuleStats& rule : report_.rules) {
      if (!rule.refused.empty()) reason = rule.refused.begin()->first;
    }
    return reason;
  }

  const hlo::Module& module_;
  hlo::DeviceCounts counts_;
  hlo::CallGraph calls_;
  HloGraph hlo_;
  language::Import import_;
  rules::RuleBook book_;
  egraph::RunReport report_;
  std::vector<bool> is_original_;      // by node
  std::vector<ClassId> class_before_;  // of each instruction, before any rewrite
  std::map<ClassId, std::vector<hlo::InstructionId>> originals_;
  std::map<ClassId, NodeId> smallest_;
};

}  // namespace

Rewriter rule_rewriter(const rules::Family& family, const std::string& direction,
                       hlo::Numerics numerics, const egraph::Limits& limits) {
  Promise promise = family.info.order_open ? Promise::kOrderOpen : Promise::kBits;
  if (numerics == hlo::Numerics::kReassoc) promise = Promise::kReassoc;
  if (family.info.needs_finite) promise = Promise::kFinite;
  // An edge leads to a wider type, or to one of the orders that HLO leaves open.
  Promise behind_edges = family.info.order_open ? promise : Promise::kPrecise;
  std::string prefix = family.info.name + "/" + direction;
  return [=](const hlo::Module& module) {
    return SaturatedProgram(module, family, prefix, numerics, limits).forms(promise, behind_edges);
  };
}

Rewriter rule_rewriter(const std::string& family, const std::string& direction,
                       hlo::Numerics numerics) {
  for (const rules::Family& known : rules::all_families()) {
    if (known.info.name == family) return rule_rewriter(known, direction, numerics);
  }
  throw std::logic_error("no rule family is named " + family);
}

Rewriter pass_rewriter(passes::GreedyOptions options, Promise promise) {
  return [=](const hlo::Module& module) {
    Rewrites result;
    hlo::Module rewritten = module;
    passes::PipelineReport report = passes::run_greedy(rewritten, options);
    if (report.changed) {
      result.forms.push_back({std::move(rewritten), promise});
      return result;
    }
    result.refusal = "no match";
    for (const passes::PassReport& pass : report.passes) {
      if (!pass.refused.empty()) result.refusal = pass.refused.begin()->first;
    }
    return result;
  };
}

}  // namespace flipsat::optimizer
