#include "tests/egraph/workload.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace flipsat::egraph {

Workload::Workload(WorkloadFile from)
    : file(std::move(from)), iterations(file.iterations), costs(file.cost_of_symbols()) {
  roots = load(file, graph).roots;
  rules = make_rules(file.rules, file.symbols, graph);
}

std::optional<Workload> find_workload(const std::string& file) {
  std::string folder;
  if (const char* given = std::getenv("FLIPSAT_WORKLOADS")) {
    folder = given;
  } else if (const char* corpus = std::getenv("FLIPSAT_CORPUS")) {
    folder = std::string(corpus) + "/../bench/workloads";
  }
  std::ifstream in(folder + "/" + file, std::ios::binary);
  if (folder.empty() || !in) {
    std::cout << "skipped: no workload " << file << " (FLIPSAT_WORKLOADS, FLIPSAT_CORPUS)\n";
    return std::nullopt;
  }
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return Workload(read_workload(text, file));
}

Workload sum_of_leaves(int count) {
  std::ostringstream text;
  text << "op + 2 1\nleafcost 1\niters 100\n"
       << "rule comm : (+ ?a ?b) => (+ ?b ?a)\n"
       << "rule assoc : (+ (+ ?a ?b) ?c) => (+ ?a (+ ?b ?c))\n"
       << "rule assoc-back : (+ ?a (+ ?b ?c)) => (+ (+ ?a ?b) ?c)\n";
  for (int leaf = 0; leaf < count; ++leaf) text << "n v" << leaf << "\n";
  for (int leaf = 1; leaf < count; ++leaf) {
    text << "n + " << (leaf == 1 ? 0 : count + leaf - 2) << " " << leaf << "\n";
  }
  text << "root " << 2 * count - 2 << "\n";
  return Workload(read_workload(text.str(), "sum_of_leaves"));
}

}  // namespace flipsat::egraph
