#include "tools/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tools/report.h"
#include "tools/units.h"

namespace flipsat::tools {
namespace {

using verify::Verdict;

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSame:
      return "same";
    case Verdict::kDifferent:
      return "different";
    case Verdict::kNotChecked:
      return "not checked";
  }
  return "";
}

Json not_checked_record(const std::vector<verify::NotChecked>& values) {
  Json record = Json::array();
  for (const verify::NotChecked& value : values) {
    record.push_back({{"at", "%" + value.instruction}, {"why", value.reason}});
  }
  return record;
}

Json symbolic_record(const verify::Result& result) {
  Json differences = Json::array();
  for (const verify::Difference& difference : result.differences) {
    differences.push_back({{"at", "%" + difference.instruction},
                           {"computation", difference.computation},
                           {"device", difference.device},
                           {"index", difference.index},
                           {"text", difference.text}});
  }
  return {{"values", result.values},
          {"elements", result.elements},
          {"differences", differences},
          {"not_checked", not_checked_record(result.not_checked)}};
}

Json numbers_record(const verify::NumberComparison& numbers) {
  if (!numbers.compared) return {{"compared", false}, {"why", numbers.reason}};
  return {{"compared", true},
          {"elements", numbers.elements},
          {"differing", numbers.differing},
          {"max_abs", numbers.max_abs},  // null where it is infinite
          {"max_ulps", numbers.max_ulps}};
}

Json xla_record(const XlaAnswer& answer) {
  Json record = {{"ran", answer.why_not.empty()}};
  if (!answer.why_not.empty()) record["why"] = answer.why_not;
  for (const auto& [key, value] : answer.record.items()) record[key] = value;
  record["alike"] = answer.excerpts.alike;
  record["in_no_excerpt"] = not_checked_record(answer.excerpts.left_out);
  return record;
}

std::string headline(const VerifyAnswer& answer) {
  switch (answer.verdict()) {
    case Verdict::kSame:
      if (answer.symbolic) return fmt::format("the modules compute the same ({})", answer.numerics);
      return answer.xla ? "the modules compute the same on XLA, on random inputs"
                        : "the modules compute the same bits on a random input";
    case Verdict::kDifferent:
      return "the modules differ";
    case Verdict::kNotChecked:
      return "not checked: it cannot be told whether the modules compute the same";
  }
  return "";
}

std::string symbolic_lines(const verify::Result& result) {
  std::string lines =
      fmt::format("symbolically: {} on {}\n", counted(result.values, "changed value"),
                  counted(result.elements, "element"));
  for (const verify::Difference& difference : result.differences) {
    lines += fmt::format("  %{} in {} differs on device {} at [{}]: {}\n", difference.instruction,
                         difference.computation, difference.device,
                         fmt::join(difference.index, ","), difference.text);
  }
  for (const verify::NotChecked& value : result.not_checked) {
    lines += fmt::format("  %{}: {}\n", value.instruction, value.reason);
  }
  return lines;
}

std::string numbers_line(const verify::NumberComparison& numbers) {
  if (!numbers.compared) return fmt::format("on numbers: not run, {}\n", numbers.reason);
  if (numbers.differing == 0) {
    return fmt::format("on numbers: {}, all equal\n", counted(numbers.elements, "element"));
  }
  const bool far_apart = numbers.max_ulps == std::numeric_limits<int64_t>::max();
  return fmt::format(
      "on numbers: {} of {} differ, by up to {:.6g}{}; worst in result {}, device {}\n",
      numbers.differing, counted(numbers.elements, "element"), numbers.max_abs,
      far_apart ? "" : fmt::format(" ({} ulp)", numbers.max_ulps), numbers.part, numbers.device);
}

// What a pair's trials say: "bit-exact", or how far its results are apart.
std::string xla_pair_lines(const Json& pair) {
  std::string lines = pair.at("answer");
  if (pair.at("bit_exact")) lines = "bit-exact";
  const std::string why = pair.at("why");
  if (!why.empty()) lines += ": " + why;
  lines += "\n";
  for (const Json& trial : pair.at("trials")) {
    for (const Json& difference : trial.at("differences")) {
      lines +=
          fmt::format("    {} of {} ({} values) differ by up to {}{}\n",
                      counted(difference.at("elements").get<int64_t>(), "element"),
                      pair.at("excerpt") ? "%" + difference.at("result").get<std::string>()
                                         : "result " + difference.at("result").get<std::string>(),
                      trial.at("values").get<std::string>(), difference.at("max_abs").dump(),
                      difference.at("within_noise") ? ", as rounding explains" : "");
    }
  }
  return lines;
}

std::string xla_lines(const XlaAnswer& answer) {
  if (!answer.why_not.empty()) return fmt::format("on XLA: not run, {}\n", answer.why_not);
  std::string lines =
      fmt::format("on XLA (jaxlib {}):\n", answer.record.at("jaxlib").get<std::string>());
  for (const Json& pair : answer.record.at("pairs")) {
    lines +=
        pair.at("excerpt")
            ? fmt::format("  {} in {} alone: ", counted(pair.at("results").get<int64_t>(), "value"),
                          pair.at("name").get<std::string>())
            : std::string("  the whole program: ");
    lines += xla_pair_lines(pair);
  }
  if (answer.excerpts.alike > 0) {
    lines += fmt::format(
        "  {} computed as one of these, but for names\n",
        counted(answer.excerpts.alike, "more changed value is", "more changed values are"));
  }
  for (const verify::NotChecked& value : answer.excerpts.left_out) {
    lines += fmt::format("  %{} was not run alone: {}\n", value.instruction, value.reason);
  }
  return lines;
}

}  // namespace

Verdict VerifyAnswer::verdict() const {
  if (!same_signature) return Verdict::kDifferent;
  if (xla) return xla->verdict();
  const bool differ_on_numbers = numbers && numbers->compared && numbers->differing > 0;
  if (symbolic) {
    const bool open = symbolic->verdict == Verdict::kNotChecked;
    return open && differ_on_numbers ? Verdict::kDifferent : symbolic->verdict;
  }
  if (!numbers || !numbers->compared) return Verdict::kNotChecked;
  return differ_on_numbers ? Verdict::kDifferent : Verdict::kSame;
}

bool have_same_signature(const hlo::Module& before, const hlo::Module& after) {
  const hlo::Computation& one = before.entry_computation();
  const hlo::Computation& other = after.entry_computation();
  return before[one.root].shape.same_value_shape(after[other.root].shape) &&
         std::ranges::equal(one.parameters, other.parameters,
                            [&](hlo::InstructionId a, hlo::InstructionId b) {
                              return before[a].shape.same_value_shape(after[b].shape);
                            });
}

Json verify_report(const VerifyAnswer& answer) {
  Json report = report_head();
  report["before"] = answer.before;
  report["after"] = answer.after;
  report["numerics"] = answer.numerics;
  report["answer"] = to_string(answer.verdict());
  report["same_signature"] = answer.same_signature;
  report["symbolic"] = answer.symbolic ? symbolic_record(*answer.symbolic) : Json(nullptr);
  report["numbers"] = answer.numbers ? numbers_record(*answer.numbers) : Json(nullptr);
  report["xla"] = answer.xla ? xla_record(*answer.xla) : Json(nullptr);
  return report;
}

std::string verify_text(const VerifyAnswer& answer) {
  std::string text = headline(answer) + "\n";
  if (!answer.same_signature) text += "their parameters or results have other shapes\n";
  if (answer.symbolic) text += symbolic_lines(*answer.symbolic);
  if (answer.numbers) text += numbers_line(*answer.numbers);
  if (answer.xla) text += xla_lines(*answer.xla);
  return text;
}

}  // namespace flipsat::tools
