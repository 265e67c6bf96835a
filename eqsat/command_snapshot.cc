// eqsat snapshot FILE.wl and eqsat load SNAPSHOT: an e-graph kept in a file, and had back.
#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "egraph/io/snapshot.h"
#include "eqsat/commands.h"
#include "eqsat/files.h"
#include "eqsat/saturation.h"

namespace flipsat::eqsat {
namespace {

struct SnapshotArguments {
  std::string file;
  std::string out;
  std::string format = "binary";
  SaturationArguments saturation;
};

void write(const SnapshotArguments& arguments) {
  egraph::WorkloadFile workload = read_workload_file(arguments.file, arguments.saturation);
  const Saturated saturated = saturate(workload, arguments.saturation);
  std::ostringstream out;
  write_snapshot(
      saturated.graph, out,
      arguments.format == "json" ? egraph::SnapshotFormat::kJson : egraph::SnapshotFormat::kBinary);
  write_file(arguments.out, out.view());
}

struct LoadArguments {
  std::string file;
  bool check = false;
};

void load(const LoadArguments& arguments) {
  const Stopwatch time;
  std::istringstream in(read_file(arguments.file));
  const egraph::EGraph graph = egraph::read_snapshot(in, arguments.file);
  if (in.peek() != std::char_traits<char>::eof()) {
    throw egraph::InputError({arguments.file, 0, 0}, "something follows the snapshot");
  }
  print(fmt::format("{} nodes, {} classes, {} operators, {} directed edges; read {:.3f} s\n",
                    graph.node_count(), graph.class_count(), graph.operators().size(),
                    graph.all_edges().size(), time.seconds()));
  if (!arguments.check) return;
  graph.check();
  print("every invariant holds\n");
}

}  // namespace

Command snapshot_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<SnapshotArguments>();
  CLI::App* parser =
      eqsat.add_subcommand("snapshot", "Saturate a workload and write its e-graph, to be loaded");
  parser->add_option("FILE", arguments->file, "The workload (.wl); - is standard input")
      ->required();
  parser->add_option("-o,--output", arguments->out, "The snapshot; - is standard output")
      ->required()
      ->type_name("OUT");
  parser->add_option("--format", arguments->format, "Of the snapshot")
      ->check(CLI::IsMember({"binary", "json"}))
      ->capture_default_str();
  add_saturation_options(*parser, arguments->saturation);
  add_start_option(*parser, arguments->saturation);
  return {parser, [arguments] { write(*arguments); }};
}

Command load_command(CLI::App& eqsat) {
  const auto arguments = std::make_shared<LoadArguments>();
  CLI::App* parser = eqsat.add_subcommand("load", "Read a snapshot and print its size");
  parser->add_option("SNAPSHOT", arguments->file, "Of either format; - is standard input")
      ->required();
  parser->add_flag("--check", arguments->check,
                   "Check every invariant once more when the e-graph is there");
  return {parser, [arguments] { load(*arguments); }};
}

}  // namespace flipsat::eqsat
