#include <fmt/format.h>

#include <map>

#include "optimizer/changes.h"
#include "tools/explain/explained.h"
#include "tools/report.h"
#include "tools/rule_list.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using optimizer::WhyNot;
using Answer = WhyNot::Answer;

// Places that are looked at where none is named.
constexpr size_t kMostPlaces = 500;
constexpr size_t kMostExamples = 3;

std::string in_words(const WhyNot& why) {
  switch (why.answer) {
    case Answer::kRefused:
      return "it matches, and is refused: " + why.why;
    case Answer::kNotChosen:
      return why.more_time && *why.more_time > 0
                 ? fmt::format("{}, {} with all that would come with it", why.why,
                               readable_time(*why.more_time))
                 : why.why;
    case Answer::kNotLookedAt:
    case Answer::kNoMatch:
    case Answer::kNothingNew:
    case Answer::kNotReached:
    case Answer::kChosen:
      break;
  }
  return why.why;
}

}  // namespace

WhyNotAnswer why_not_answer(const optimizer::Inspection& inspection, const rules::RuleInfo& rule,
                            std::optional<hlo::InstructionId> at) {
  WhyNotAnswer answer;
  answer.rule = rule.name;
  answer.is_about_one = at.has_value();
  answer.is_saturated = inspection.is_saturated();
  const auto add = [&](hlo::InstructionId id) {
    const hlo::Instruction& instruction = inspection.input()[id];
    answer.places.push_back({"%" + instruction.name,
                             optimizer::source_of(inspection.input(), instruction),
                             optimizer::why_not(inspection, rule.name, id)});
  };
  if (at) {
    add(*at);
    return answer;
  }
  for (hlo::ComputationId region : inspection.program().imported().regions) {
    for (hlo::InstructionId id : inspection.input().computations[region].instructions) {
      if (!optimizer::is_kind_of_root(inspection, rule.name, id)) continue;
      if (answer.places.size() < kMostPlaces) {
        add(id);
      } else {
        ++answer.left_out;
      }
    }
  }
  if (answer.places.empty()) {
    answer.note =
        "nothing near a collective is " + optimizer::roots_in_words(inspection, rule.name);
  }
  return answer;
}

std::string why_not_text(const WhyNotAnswer& answer, const rules::RuleInfo& rule) {
  std::string text = fmt::format("{}: {}\n  condition: {}\n  {}\n", rule.name, rule.equation,
                                 rule.condition, kNotation);
  if (!answer.note.empty()) text += answer.note + "\n";
  if (answer.is_about_one) {
    for (const WhyNotAnswer::Place& place : answer.places) {
      text += fmt::format("at {}{}{}: {}\n", place.at, place.source.empty() ? "" : ", ",
                          place.source, in_words(place.why));
      for (const std::string& more : place.why.beside) text += fmt::format("  {}\n", more);
    }
    return text;
  }
  if (answer.places.empty()) return text;
  text += fmt::format("{} where it could begin\n",
                      counted(static_cast<int64_t>(answer.places.size()), "value"));
  // By answer and, where that says more than one value's story, its words.
  std::map<std::pair<Answer, std::string>, std::vector<const WhyNotAnswer::Place*>> alike;
  for (const WhyNotAnswer::Place& place : answer.places) {
    const bool is_own = place.why.answer == Answer::kNoMatch;
    alike[{place.why.answer,
           is_own ? "what stands there is not what it wants" : in_words(place.why)}]
        .push_back(&place);
  }
  for (const auto& [key, places] : alike) {
    text += fmt::format("  {}: {}\n", places.size(), key.second);
    for (size_t i = 0; i < std::min(places.size(), kMostExamples); ++i) {
      const WhyNotAnswer::Place& place = *places[i];
      text +=
          fmt::format("     {}{}{}\n", place.at, place.source.empty() ? "" : ", " + place.source,
                      key.first == Answer::kNoMatch ? ": " + place.why.why : "");
    }
    if (places.size() > kMostExamples) {
      text += fmt::format("     and {} more\n", places.size() - kMostExamples);
    }
  }
  if (answer.left_out > 0) {
    text += fmt::format("{} further values are not looked at (name one: {}@INSTR)\n",
                        answer.left_out, answer.rule);
  }
  if (!answer.is_saturated) {
    text += "the search was stopped before all was tried (--effort, --node-limit)\n";
  }
  return text;
}

Json why_not_report(const std::string& input, const optimizer::Options& options,
                    const WhyNotAnswer& answer) {
  Json report = report_head();
  report["input"] = input;
  report.update(options_record(options));
  report["rule"] = answer.rule;
  report["note"] = answer.note;
  report["saturated"] = answer.is_saturated;
  report["left_out"] = answer.left_out;
  report["places"] = Json::array();
  for (const WhyNotAnswer::Place& place : answer.places) {
    Json record = {{"at", place.at},
                   {"source", place.source},
                   {"answer", optimizer::to_string(place.why.answer)},
                   {"why", place.why.why},
                   {"beside", place.why.beside}};
    record["more_us"] = place.why.more_time ? microseconds(*place.why.more_time) : Json(nullptr);
    report["places"].push_back(record);
  }
  return report;
}

}  // namespace flipsat::tools
