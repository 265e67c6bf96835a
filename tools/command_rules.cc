// flipsat rules: every rewrite rule, from the catalogue and from a file of rules as text, which it
// can also try.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "tools/commands.h"
#include "tools/output_files.h"
#include "tools/ranges.h"
#include "tools/rule_check.h"
#include "tools/rule_file.h"
#include "tools/rule_list.h"

namespace flipsat::tools {
namespace {

struct Arguments {
  std::string json;
  std::string rules;
  std::string check;
  int64_t cases = 2000;
};

ExitCode list(const Arguments& arguments) {
  const std::vector<rules::RuleInfo> infos = all_rules(arguments.rules);
  if (!arguments.json.empty()) write_output(arguments.json, json_text(rules_report(infos)));
  if (arguments.json != "-") print(stdout, rules_text(infos));
  return kDone;
}

ExitCode check(const Arguments& arguments) {
  const std::vector<CheckedRule> checked =
      check_rules(read_rule_file(arguments.check), arguments.cases);
  if (!arguments.json.empty()) write_output(arguments.json, json_text(check_report(checked)));
  if (arguments.json != "-") print(stdout, check_text(checked));
  const bool all_right = std::all_of(checked.begin(), checked.end(), [](const CheckedRule& one) {
    return one.has_fired() && !one.is_wrong();
  });
  return all_right ? kDone : kAnswerIsNo;
}

}  // namespace

Command rules_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand(
      "rules", "List every rule: equation, condition, numerics class, switch");
  parser
      ->add_option("--json", arguments->json,
                   "Write the list, or what the check found, for programs; - is standard output")
      ->type_name("FILE");
  CLI::Option* rules =
      parser->add_option("--rules", arguments->rules, "List the rules of this file too")
          ->type_name("FILE");
  CLI::Option* check_file =
      parser
          ->add_option("--check", arguments->check,
                       "Try the rules of this file on small programs; 1 if one is wrong or never "
                       "fires")
          ->excludes(rules)
          ->type_name("FILE");
  parser->add_option("--cases", arguments->cases, "Programs on which --check tries each direction")
      ->needs(check_file)
      ->check(whole_number(1, 10'000'000))
      ->capture_default_str()
      ->type_name("N");
  return {parser,
          [arguments] { return arguments->check.empty() ? list(*arguments) : check(*arguments); }};
}

}  // namespace flipsat::tools
