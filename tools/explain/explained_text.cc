#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/explain/explained.h"
#include "tools/rule_list.h"
#include "tools/table.h"
#include "tools/text_table.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using optimizer::Reason;
using optimizer::ReasonStep;

constexpr size_t kAlikeNamed = 6;
constexpr size_t kKeptShown = 12;

// Broken at spaces; further lines are indented.
std::string wrapped(const std::string& text, size_t indent, size_t width = 100) {
  const std::string pad(indent, ' ');
  std::string lines = pad;
  size_t column = indent;
  size_t begin = 0;
  while (begin < text.size()) {
    size_t end = text.find(' ', begin);
    if (end == std::string::npos) end = text.size();
    const size_t length = end - begin;
    if (column > indent && column + 1 + length > width) {
      lines += "\n" + pad;
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += text.substr(begin, length);
    column += length;
    begin = end + 1;
  }
  return lines + "\n";
}

std::string two(int64_t before, int64_t after, std::string (*readable)(int64_t, int)) {
  const std::vector<std::string> texts = told_apart({before, after}, readable);
  return before == after ? texts[0] : texts[0] + " -> " + texts[1];
}

std::string step_text(const ReasonStep& step, std::set<std::string>& told) {
  std::string text;
  if (!step.after.empty()) {
    text += wrapped((step.is_refinement ? "~ " : "= ") + step.after, 10);
  }
  if (step.rule.empty()) return text + wrapped(sentence(step.why), 14);
  text += wrapped(fmt::format("by {}: {}", step.rule, step.equation), 14);
  if (step.is_refinement) {
    text += wrapped("Not the same, but allowed: it is computed in a wider type.", 14);
  }
  // Once a rule and change.
  if (!told.insert(step.rule).second) return text;
  if (!step.why.empty()) text += wrapped(sentence(step.why), 14);
  if (step.condition != "none") {
    text += wrapped("It holds where, as here: " + step.condition + ".", 14);
  }
  return text;
}

std::string reason_text(const Reason& reason) {
  if (reason.steps.empty()) return "  why   they are the same operation on the same values\n";
  std::string text = "  why\n" + wrapped(reason.before, 10);
  std::set<std::string> told;
  for (const ReasonStep& step : reason.steps) text += step_text(step, told);
  if (!reason.is_whole) text += wrapped("The steps between are too many to be written out.", 14);
  for (size_t i = 0; i < reason.facts.size(); ++i) {
    text += fmt::format("  {} {}\n", i == 0 ? "where" : "     ", reason.facts[i]);
  }
  if (!reason.fault.empty()) {
    text += fmt::format("  fault {} (this is a bug of flipsat)\n", reason.fault);
  }
  return text;
}

std::string list_of(const char* label, const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("  {:<5} {}\n", i == 0 ? label : "", lines[i]);
  }
  return text;
}

std::string where(const optimizer::Change& change) {
  return fmt::format("{} in {}{}{}", change.at, change.computation,
                     change.source.empty() ? "" : "; ", on_one_line(change.source));
}

std::string change_text(const Explained& explained, size_t index, size_t number) {
  const ExplainedChange& one = explained.changes[index];
  std::string text = fmt::format("\n{}. {}\n", number, where(one.change));
  text += list_of("was", one.was);
  text += list_of("now", one.now);
  if (one.reason) {
    text += reason_text(*one.reason);
  } else {
    text += fmt::format("  why   {}\n", fmt::join(one.change.rules, ", "));
  }
  text += fmt::format("  alone wire {}, {}\n",
                      two(one.change.bytes_before, one.change.bytes_after, readable_bytes),
                      two(one.change.time_before, one.change.time_after, readable_time));
  std::vector<std::string> alike;
  for (const ExplainedChange& other : explained.changes) {
    if (other.like == index) alike.push_back(other.change.at);
  }
  if (!alike.empty()) {
    const std::string count = counted(static_cast<int64_t>(alike.size()), "more");
    std::string names;
    for (size_t i = 0; i < std::min(alike.size(), kAlikeNamed); ++i) {
      names += (i > 0 ? ", " : "") + alike[i];
    }
    if (alike.size() > kAlikeNamed) names += ", ...";
    text += fmt::format("  alike {} more: {}\n", alike.size(), names);
  }
  return text;
}

std::string search_text(const optimizer::Result& result, const Explained& explained) {
  std::string text = fmt::format(
      "{} in {}, after {} of all rules", counted(result.egraph.nodes, "form"),
      counted(result.egraph.classes, "value"), counted(result.egraph.iterations, "round"));
  if (explained.is_saturated) return text + ": no rule had anything new to add.\n";
  return text + fmt::format(
                    ". The search was stopped there ({}): what is not found here may still be "
                    "possible (--effort, --node-limit).\n",
                    result.egraph.stop);
}

std::string verified_text(const optimizer::Options& options, const optimizer::Result& result) {
  if (result.changes.empty()) return "";
  if (result.verified.how == "off") return "Nothing was verified (--verify off).\n";
  const std::string within = options.numerics == hlo::Numerics::kExact
                                 ? ""
                                 : fmt::format(", as far as --numerics {} lets them differ",
                                               hlo::to_string(options.numerics));
  return fmt::format(
      "Checked by a symbolic interpreter of HLO that knows no rules: {} of the output, {}, "
      "compute\n"
      "what the input's do, on every device and for every input{}.\n",
      counted(result.verified.values, "value"), counted(result.verified.elements, "element"),
      within);
}

std::string origin_text(const optimizer::Result& result) {
  if (result.origin != optimizer::Origin::kGreedy || result.changes.empty()) return "";
  return "The output is what the usual greedy order of local passes finds, which the e-graph's "
         "own\n"
         "program does not beat: there is no chain of rules to show.\n";
}

std::string kept_text(const Explained& explained) {
  if (explained.kept.empty()) return "";
  std::string text = "\nPossible, and not taken\n";
  size_t shown = 0;
  for (const optimizer::Kept& kept : explained.kept) {
    if (shown++ == kKeptShown) break;
    if (kept.why == "not checked") {
      text += fmt::format("  {} by {}: the verifier could not check it\n", kept.at, kept.rule);
      continue;
    }
    const int64_t more = kept.time_after - kept.time_before;
    std::string words = "not priced";
    if (kept.why == "cost") {
      words = more > 0 ? fmt::format("the whole program would take {} more",
                                     told_apart({more, 0}, readable_time)[0])
                       : "it would save nothing";
    }
    text += fmt::format("  {} by {}: {}\n", kept.at, kept.rule, words);
  }
  if (explained.kept.size() > kKeptShown) {
    text += fmt::format("  and {} more\n", explained.kept.size() - kKeptShown);
  }
  return text;
}

// What keeps a rule that only tidies up from doing nothing interests nobody who asks about a whole
// module.
bool is_telling(const Refused& refused) {
  return !refused.is_tidying && refused.rule != "collective-of-one";
}

std::string refused_text(const Explained& explained) {
  std::string text;
  size_t left_out = 0;
  for (const Refused& refused : explained.refused) {
    if (!explained.is_about_one && !is_telling(refused)) {
      ++left_out;
      continue;
    }
    std::string line =
        fmt::format("{} at {}: {}", refused.rule,
                    counted(static_cast<int64_t>(refused.count), "value"), refused.reason);
    if (!refused.at.empty()) {
      line += fmt::format(" ({}{})", fmt::join(refused.at, ", "),
                          refused.at.size() < refused.count ? ", ..." : "");
    }
    text += wrapped(line, 2);
  }
  if (text.empty()) return "";
  if (left_out > 0) text += fmt::format("  and {} of rules that only tidy up\n", left_out);
  return "\nMatched, and refused because a condition does not hold\n" + text;
}

}  // namespace

std::string explained_text(const std::string& input, const optimizer::Options& options,
                           const optimizer::Result& result, const Explained& explained) {
  std::string text = fmt::format("{}: {}\n", input, headline(options, result));
  std::set<std::string> told;
  for (const std::string& note : result.notes) {
    if (told.insert(note).second) text += note + "\n";
  }
  if (result.egraph.nodes == 0) return text;
  text += search_text(result, explained) + verified_text(options, result) + origin_text(result);
  if (!explained.about_value.empty()) text += "\n" + sentence(explained.about_value) + "\n";
  size_t number = 0;
  for (size_t i = 0; i < explained.changes.size(); ++i) {
    if (explained.changes[i].like) continue;
    text += change_text(explained, i, ++number);
  }
  text += kept_text(explained) + refused_text(explained);
  const bool has_equations = std::ranges::any_of(
      explained.changes, [](const ExplainedChange& one) { return one.reason.has_value(); });
  return text + (has_equations ? fmt::format("\nIn equations {}.\n", kNotation) : "");
}

}  // namespace flipsat::tools
