#include "optimizer/why_not.h"

#include <algorithm>
#include <set>

#include "egraph/why_not.h"

namespace flipsat::optimizer {
namespace {

using Answer = WhyNot::Answer;
using egraph::kNoId;
using egraph::Miss;
using egraph::Pattern;
using language::ClassId;
using language::Kind;
using language::NodeId;

std::vector<uint32_t> indices_of(const Inspection& inspection, const std::string& rule) {
  const rules::RuleBook& book = inspection.program().rule_book();
  std::vector<uint32_t> indices;
  for (uint32_t i = 0; i < book.set().size(); ++i) {
    if (book.info(i).name == rule) indices.push_back(i);
  }
  return indices;
}

std::string with_article(const std::string& word) {
  static const std::string kVowels = "aeiou";
  const bool is_an = kVowels.find(word.front()) != std::string::npos;
  return (is_an ? "an " : "a ") + word;
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  size_t place = 0;
  for (const std::string& word : words) {
    if (place > 0) text += place + 1 == words.size() ? " or " : ", ";
    text += word;
    ++place;
  }
  return text;
}

std::string wanted_in_words(const Inspection& inspection, const Pattern& wanted) {
  if (wanted.form == Pattern::Form::kKind) {
    const Kind kind = static_cast<Kind>(wanted.kind);
    if (kind == Kind::kElementwise) return "an operation on each element";
    if (kind == Kind::kSum) return "a chain of additions";
    return with_article(std::string(to_string(kind)));
  }
  for (NodeId node = 0; node < inspection.graph().node_bound(); ++node) {
    if (inspection.graph().op(node) == wanted.op) {
      return with_article(std::string(hlo::to_string(inspection.hlo().op(node).opcode)));
    }
  }
  return "another operation";
}

// "a convert", or "a convert or an all-gather" where the class has both forms.
std::string what_is_there(const Inspection& inspection, ClassId cls) {
  std::set<std::string> words;
  for (NodeId node : inspection.graph().nodes(cls)) {
    const language::Operator& op = inspection.hlo().op(node);
    if (language::is_instruction(op.kind)) {
      words.insert(with_article(std::string(hlo::to_string(op.opcode))));
    }
  }
  return joined(words);
}

bool has_several_forms(const Inspection& inspection, ClassId cls) {
  return std::ranges::count_if(inspection.graph().nodes(cls), [&](NodeId node) {
           return language::is_instruction(inspection.hlo().op(node).kind);
         }) > 1;
}

// Empty where it would be said of one form of several.
std::string why_opaque(const Inspection& inspection, ClassId cls) {
  if (has_several_forms(inspection, cls)) return "";
  for (hlo::InstructionId id : inspection.originals(cls)) {
    const std::string reason = inspection.why_opaque(id).value_or("");
    if (reason == "no algebra for it") return ", which no rule looks into";
    if (!reason.empty()) return ", which no rule looks into (" + reason + ")";
  }
  return "";
}

// Whether one failure says more than another: how far the attempt came.
std::pair<int, size_t> progress(const Miss& miss) {
  switch (miss.what) {
    case Miss::What::kMatches:
      return {4, 0};
    case Miss::What::kGuard:
      return {3, 0};
    case Miss::What::kMatcher:
      return {2, 0};
    case Miss::What::kOtherClass:
    case Miss::What::kNoOperator:
      break;
  }
  const bool is_at_root = miss.pattern == 0 && miss.path.empty();
  return {is_at_root ? 0 : 1, miss.path.size() + 100 * miss.pattern};
}

std::string place_in_words(const Inspection& inspection, const Miss& miss, ClassId root) {
  const std::string name = inspection.name(miss.cls);
  if (miss.path.empty()) return name;
  // A class that rules made has no name that people know.
  const bool is_named = !inspection.originals(miss.cls).empty();
  std::string place = is_named ? name + ", " : "";
  for (size_t i = miss.path.size(); i-- > 0;) {
    place += "operand " + std::to_string(miss.path[i]) + " of ";
  }
  if (!is_named || has_several_forms(inspection, root)) place += "a form of ";
  return place + (miss.pattern == 0 ? inspection.name(root) : "what stands beside it") +
         (is_named ? "," : "");
}

std::string words_for(const Inspection& inspection, const Miss& miss, ClassId root,
                      const std::string& rule) {
  switch (miss.what) {
    case Miss::What::kMatches:
      return "it matches";
    case Miss::What::kGuard:
      return miss.reason;
    case Miss::What::kMatcher:
      return "its operations stand here, and not together as the rule wants them";
    case Miss::What::kOtherClass:
      return place_in_words(inspection, miss, root) +
             " is not the same value as the one that the rule wants twice";
    case Miss::What::kNoOperator:
      break;
  }
  const std::string wanted = miss.path.empty() && miss.pattern == 0
                                 ? roots_in_words(inspection, rule)
                                 : wanted_in_words(inspection, *miss.wanted) + " there";
  if (miss.cls == kNoId) return "the module has not " + wanted_in_words(inspection, *miss.wanted);
  // The kind alone does not decide: the number of operands does, too.
  for (NodeId node : inspection.graph().nodes(miss.cls)) {
    if (miss.wanted->form == Pattern::Form::kKind &&
        inspection.graph().kind(node) == miss.wanted->kind) {
      return place_in_words(inspection, miss, root) + " is " + what_is_there(inspection, miss.cls) +
             " of " + std::to_string(inspection.graph().children(node).size()) +
             " operands; the rule wants one of " + std::to_string(miss.wanted->children.size());
    }
  }
  return place_in_words(inspection, miss, root) + " is " + what_is_there(inspection, miss.cls) +
         why_opaque(inspection, miss.cls) + "; the rule wants " + wanted;
}

// Did one of the rules make a form of the class, or show it to be equal to another?
bool has_fired(const Inspection& inspection, const std::vector<uint32_t>& rules, ClassId cls) {
  const auto is_ours = [&](egraph::Reason reason) {
    return std::ranges::find(rules, reason) != rules.end();
  };
  const egraph::EGraph& graph = inspection.graph();
  for (const egraph::Union& made : graph.unions()) {
    if (is_ours(made.reason) && graph.find(made.a) == cls) return true;
  }
  for (NodeId node : graph.nodes(cls)) {
    if (is_ours(graph.born_of(node))) return true;
  }
  for (const egraph::Edge& edge : graph.edges(cls)) {
    if (is_ours(edge.reason)) return true;
  }
  return false;
}

std::set<std::string> refusals_at(const Inspection& inspection, const std::vector<uint32_t>& rules,
                                  ClassId cls) {
  std::set<std::string> reasons;
  for (uint32_t rule : rules) {
    for (const auto& [root, reason] : inspection.program().saturation().rules[rule].refused_at) {
      if (inspection.graph().find(root) == cls) reasons.insert(reason);
    }
  }
  return reasons;
}

bool wants_sum(const Miss& miss) {
  return miss.what == Miss::What::kNoOperator && miss.path.empty() &&
         miss.wanted->form == Pattern::Form::kKind &&
         static_cast<Kind>(miss.wanted->kind) == Kind::kSum;
}

// The last addition of the chain that a value is the sum, or a partial sum, of; kNoId for others.
ClassId end_of_chain(const Inspection& inspection, ClassId cls) {
  const egraph::EGraph& graph = inspection.graph();
  for (const language::SumChain& sum : inspection.hlo().sums()) {
    std::set<ClassId> seen;
    for (ClassId term : sum.terms) seen.insert(graph.find(term));
    std::vector<ClassId> partial{graph.find(sum.root)};
    while (!partial.empty()) {
      const ClassId one = partial.back();
      partial.pop_back();
      if (!seen.insert(one).second) continue;
      if (one == cls) return graph.find(sum.root);
      for (NodeId node : graph.nodes(one)) {
        if (inspection.hlo().op(node).opcode != sum.opcode) continue;
        for (ClassId child : graph.children(node)) partial.push_back(graph.find(child));
      }
    }
  }
  return kNoId;
}

WhyNot fired(const Inspection& inspection, const std::string& rule, ClassId cls) {
  WhyNot why;
  for (const language::Patch& patch : inspection.patches()) {
    if (inspection.class_of(patch.at) != cls) continue;
    for (egraph::Reason reason : patch.rules) {
      const rules::RuleInfo* info = inspection.rule(reason);
      if (info == nullptr || info->name != rule) continue;
      why.answer = Answer::kChosen;
      why.why = "it fired, and what it made is in the output";
      return why;
    }
  }
  why.answer = Answer::kNotChosen;
  why.why = "it fired, and what it made is not in the output";
  for (const Kept& kept : inspection.result().kept) {
    const auto at = inspection.instruction_named(kept.at.substr(1));
    if (kept.rule != rule || !at || inspection.class_of(*at) != cls) continue;
    if (kept.why != "cost") {
      why.why += ": " + kept.why;
    } else {
      why.more_time = kept.time_after - kept.time_before;
      why.why += *why.more_time > 0 ? ": it would cost more" : ": it would save nothing";
    }
    return why;
  }
  const egraph::ClassNodes nodes = inspection.graph().nodes(cls);
  if (std::none_of(nodes.begin(), nodes.end(),
                   [&](NodeId node) { return inspection.is_in_output(node); })) {
    why.why += ", which needs this value no longer";
  }
  return why;
}

}  // namespace

std::string to_string(Answer answer) {
  switch (answer) {
    case Answer::kNotLookedAt:
      return "not-looked-at";
    case Answer::kNoMatch:
      return "no-match";
    case Answer::kRefused:
      return "refused";
    case Answer::kNothingNew:
      return "nothing-new";
    case Answer::kNotReached:
      return "not-reached";
    case Answer::kNotChosen:
      return "not-chosen";
    case Answer::kChosen:
      return "chosen";
  }
  return "";
}

std::string why_switched_off(const rules::RuleInfo& rule, const Options& options) {
  if (!options.only.empty() && options.only.count(rule.name) == 0) {
    return "--only does not name it";
  }
  if (options.disable.count(rule.name) > 0) return "--disable names it";
  if (options.bitwise && rule.order_open) {
    return "--bitwise leaves it out: it relies on HLO leaving the order of a sum open";
  }
  if (rule.needs_finite && !options.assume_finite) {
    return "it holds where no float is NaN or infinite: --assume-finite switches it on";
  }
  if (rule.numerics > options.numerics) {
    const std::string wanted(hlo::to_string(rule.numerics));
    return "it is of the class " + wanted + ": --numerics " + wanted + " switches it on";
  }
  return "";
}

bool is_kind_of_root(const Inspection& inspection, const std::string& rule, hlo::InstructionId at) {
  const NodeId node = inspection.program().imported().node_of[at];
  if (node == kNoId) return false;
  const egraph::EGraph& graph = inspection.graph();
  const auto is_chain = [&] {
    return std::ranges::any_of(inspection.hlo().sums(), [&](const language::SumChain& sum) {
      return graph.find(sum.root) == graph.find(node);
    });
  };
  for (uint32_t index : indices_of(inspection, rule)) {
    const Pattern& root = inspection.program().rule_book().set()[index].patterns().front();
    // Also where the chain may not be taken as a sum: that is what is to be told then.
    const bool is_of_sums =
        root.form == Pattern::Form::kKind && static_cast<Kind>(root.kind) == Kind::kSum;
    if (is_of_sums && is_chain()) return true;
    for (NodeId form : graph.nodes(graph.find(node))) {
      const bool has_operator = root.form == Pattern::Form::kExact ? graph.op(form) == root.op
                                                                   : graph.kind(form) == root.kind;
      if (root.form == Pattern::Form::kVariable || has_operator) return true;
    }
  }
  return false;
}

std::string roots_in_words(const Inspection& inspection, const std::string& rule) {
  std::set<std::string> roots;
  for (uint32_t index : indices_of(inspection, rule)) {
    const Pattern& root = inspection.program().rule_book().set()[index].patterns().front();
    roots.insert(wanted_in_words(inspection, root));
  }
  return joined(roots);
}

WhyNot why_not(const Inspection& inspection, const std::string& rule, hlo::InstructionId at) {
  WhyNot why;
  const std::optional<std::string> opaque = inspection.why_opaque(at);
  if (!opaque) {
    why.answer = Answer::kNotLookedAt;
    why.why = "it stands in a computation without collectives, where no rule looks";
    return why;
  }
  if (!opaque->empty()) {
    why.answer = Answer::kNotLookedAt;
    const std::string word(hlo::to_string(inspection.input()[at].opcode));
    why.why = *opaque == "no algebra for it" ? "no rule looks into " + with_article(word)
                                             : "no rule looks into it: " + *opaque;
    return why;
  }
  const ClassId cls = inspection.class_of(at);
  const std::vector<uint32_t> indices = indices_of(inspection, rule);
  const std::set<std::string> refused = refusals_at(inspection, indices, cls);
  if (has_fired(inspection, indices, cls)) {
    why = fired(inspection, rule, cls);
    for (const std::string& reason : refused) why.beside.push_back("also refused: " + reason);
    return why;
  }
  const egraph::RuleSet& set = inspection.program().rule_book().set();
  std::optional<Miss> best;
  for (uint32_t index : indices) {
    Miss miss = egraph::why_not(inspection.graph(), set[index], cls);
    if (!best || progress(miss) > progress(*best)) best = std::move(miss);
  }
  const bool is_cut = !inspection.is_saturated();
  if (best->what == Miss::What::kMatches) {
    why.answer = Answer::kNothingNew;
    why.why = "it matches, and what it would make is there already";
    if (!refused.empty()) {
      why.answer = Answer::kRefused;
      why.why = *refused.begin();
    } else if (is_cut) {
      why.answer = Answer::kNotReached;
      why.why = "it matches, and nothing of it was seen before the search was stopped";
    }
  } else if (const ClassId end = wants_sum(*best) ? end_of_chain(inspection, cls) : kNoId;
             end != kNoId) {
    const bool is_end = end == cls;
    // Chains whose order may not change are not taken as sums in the first place.
    why.answer = Answer::kNoMatch;
    why.why = is_end ? "its additions are not taken as one sum: floats would be added in another "
                       "order (--numerics reassoc)"
                     : "it is a partial sum of the chain of additions that ends at " +
                           inspection.name(end) + ", where the rule begins";
  } else {
    const bool is_refused = best->what == Miss::What::kGuard || !refused.empty();
    why.answer = is_refused ? Answer::kRefused : Answer::kNoMatch;
    why.why = best->what == Miss::What::kGuard || refused.empty()
                  ? words_for(inspection, *best, cls, rule)
                  : *refused.begin();
  }
  for (const std::string& reason : refused) {
    if (reason != why.why) why.beside.push_back("also refused: " + reason);
  }
  if (is_cut) {
    why.beside.push_back("the search was stopped (" +
                         egraph::to_string(inspection.program().saturation().stop) +
                         "), so that it may be that more was possible");
  }
  return why;
}

}  // namespace flipsat::optimizer
