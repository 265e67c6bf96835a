// flipsat convert A B: a module from text to proto and back, compressed or not.
#include <memory>

#include "frontends/file.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/output_files.h"

namespace flipsat::tools {
namespace {

using frontends::FileKind;

struct Arguments {
  std::string input;
  std::string output;
  std::string to;
  DumpArguments dump;
};

ExitCode run(const Arguments& arguments) {
  check_can_write(arguments.output);
  const hlo::Module module =
      frontends::read_module(single_inputs({arguments.input}, arguments.dump).front());
  FileKind kind = frontends::kind_of_name(arguments.output).value_or(frontends::kind_of(module));
  if (!arguments.to.empty()) kind = arguments.to == "proto" ? FileKind::kProto : FileKind::kText;
  write_output(arguments.output, frontends::module_bytes(module, kind));
  return kDone;
}

}  // namespace

Command convert_command(CLI::App& flipsat) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* parser =
      flipsat.add_subcommand("convert", "Write a module as text or as a proto, compressed or not");
  parser
      ->add_option("A", arguments->input,
                   "The module, or a folder that --xla_dump_to filled; - is standard input")
      ->required();
  parser
      ->add_option("B", arguments->output,
                   "Where to write it; - is standard output. .pb is a proto, .hlo and .txt are "
                   "text, any other name is what A is; .gz and .zst compress")
      ->required();
  parser->add_option("--to", arguments->to, "The kind, whatever the name says")
      ->check(CLI::IsMember({"text", "proto"}));
  add_dump_options(*parser, arguments->dump);
  return {parser, [arguments] { return run(*arguments); }};
}

}  // namespace flipsat::tools
