// flipsat show IN: the e-graph of the places where rules found something.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>

#include "frontends/file.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/inspected_options.h"
#include "tools/memory.h"
#include "tools/output_files.h"
#include "tools/ranges.h"
#include "tools/table.h"
#include "tools/units.h"
#include "tools/usage_error.h"
#include "tools/viewer/view.h"

namespace flipsat::tools {
namespace {

constexpr size_t kMostClasses = 100'000;

struct Arguments {
  std::string input;
  std::string output;
  std::string format;
  size_t site = 0;  // 0: all
  std::string at;
  size_t most_classes = ViewOptions{}.most_classes;
  DumpArguments dump;
  OptimizerArguments optimizer;
};

// As asked for, else as the name says.
std::string format_of(const Arguments& arguments) {
  if (!arguments.format.empty()) return arguments.format;
  if (arguments.output.empty() || arguments.output == "-") return "html";
  std::string name = arguments.output;
  for (const char* packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - std::string(packed).size());
  }
  for (const char* format : {"html", "dot", "json"}) {
    if (name.ends_with(std::string(".") + format)) return format;
  }
  throw UsageError(
      fmt::format("-o {}: what is it to be? A name in .html, .dot or .json says so, or --format",
                  arguments.output));
}

std::string bytes_of(const std::string& format, const ViewTitle& title, const View& view) {
  if (format == "dot") return view_dot(title, view);
  if (format == "json") return json_text(view_json(title, view));
  return view_page(title, view);
}

std::string told(const View& view) {
  if (view.sites.empty()) return "no rule found another form of anything";
  size_t alike = 0, drawn = 0;
  for (const ViewSite& site : view.sites) {
    drawn += !site.classes.empty();
    alike += site.alike.size();
  }
  std::string text = counted(static_cast<int64_t>(drawn), "site") + " drawn";
  if (drawn < view.sites.size()) {
    text += fmt::format(", {} only listed", view.sites.size() - drawn);
  }
  if (alike > 0) text += fmt::format(", {} more like these", alike);
  if (view.without_change > 0) {
    text += fmt::format(", {} left out where nothing is changed", view.without_change);
  }
  return text;
}

ExitCode run(Arguments arguments) {
  limit_this_process(memory_limit(arguments.optimizer));
  arguments.input = single_inputs({arguments.input}, arguments.dump).front();
  if (arguments.output.empty())
    arguments.output = "egraph." + (arguments.format.empty() ? "html" : arguments.format);
  const std::string format = format_of(arguments);
  check_are_no_inputs({arguments.output}, {arguments.input});
  check_are_no_inputs({arguments.output}, option_files(arguments.optimizer));
  check_can_write(arguments.output);
  const optimizer::Options options = inspected_options(arguments.optimizer, "show");
  const hlo::Module module = frontends::module_from(
      frontends::read_bytes(arguments.input), arguments.input == "-" ? "<stdin>" : arguments.input);
  ViewOptions view_options;
  view_options.most_classes = arguments.most_classes;
  if (arguments.site > 0) view_options.site = arguments.site;
  if (!arguments.at.empty()) view_options.at = instruction_option(module, "--at", arguments.at);
  View view;
  const optimizer::Result result = optimizer::inspect(
      module, options,
      [&](const optimizer::Inspection& inspection) { view = view_of(inspection, view_options); });
  ViewTitle title{arguments.input, headline(options, result), {}};
  std::set<std::string> seen;
  for (const std::string& note : result.notes) {
    if (seen.insert(note).second) title.notes.push_back(note);
  }
  if (result.egraph.nodes > 0 && result.egraph.stop != "saturated") {
    title.notes.push_back("the search was stopped (" + result.egraph.stop +
                          "): there may be more to find");
  }
  if (result.origin == optimizer::Origin::kGreedy) {
    title.notes.push_back(
        "the output is what the greedy order of local passes finds; the e-graph is shown with the "
        "input's forms");
  }
  write_output(arguments.output, bytes_of(format, title, view));
  if (arguments.output != "-") {
    print(stdout, fmt::format("{}: {}\n{}: {}\n", arguments.input, title.headline, arguments.output,
                              told(view)));
  }
  return kDone;
}

}  // namespace

Command show_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser = flipsat.add_subcommand(
      "show", "Draw the e-graph where rules found something, as a page, for Graphviz or as JSON");
  parser
      ->add_option("IN", arguments->input,
                   "The module, or a folder that --xla_dump_to filled; - is standard input")
      ->required();
  parser
      ->add_option("-o,--output", arguments->output,
                   "Where it goes: a name in .html, .dot or .json; - is standard output (default: "
                   "egraph.html)")
      ->type_name("FILE");
  parser->add_option("--format", arguments->format, "What it is, where the name does not say")
      ->check(CLI::IsMember({"html", "dot", "json"}))
      ->type_name("");
  CLI::Option* at = parser->add_option("--at", arguments->at, "Only the site of one instruction")
                        ->type_name("INSTR");
  parser->add_option("--site", arguments->site, "Only one site, by its number")
      ->check(whole_number(1))
      ->type_name("N")
      ->excludes(at);
  parser
      ->add_option("--most-classes", arguments->most_classes,
                   "Values of one site; a larger one is drawn around each of its changes")
      ->check(whole_number(1, kMostClasses))
      ->capture_default_str()
      ->type_name("N");
  add_dump_options(*parser, arguments->dump);
  add_optimizer_options(*parser, arguments->optimizer);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
