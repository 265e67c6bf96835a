#include "hlo/combiner_graph.h"

#include <random>

#include "tests/catch.h"
#include "tests/hlo/plain_combiner.h"

namespace flipsat::hlo {
namespace {

using testing::PlainCombiner;
using testing::PlainNode;
using Batches = std::vector<std::vector<uint32_t>>;

CombinerGraph build(const std::vector<PlainNode>& nodes) {
  CombinerGraph graph;
  for (const PlainNode& node : nodes) {
    if (node.candidate) graph.add_candidate(node.operands.front(), *node.candidate);
    if (!node.candidate) graph.add(node.operands, node.control_predecessors);
  }
  return graph;
}

Batches real_batches(const CombinerGraph& graph, const std::vector<CombinerGraph::Limits>& limits) {
  Batches batches = graph.batches(limits);
  std::erase_if(batches, [](const auto& batch) { return batch.size() < 2; });
  return batches;
}

struct Mix {
  int nodes = 60;
  int candidate_percent = 30;
  int control_percent = 0;
  int kinds = 2;
  int keys = 3;
  int reach_back = 12;  // operands are at most so far up
};

std::vector<PlainNode> random_graph(const Mix& mix, std::mt19937& random) {
  auto below = [&](int limit) {
    return static_cast<uint32_t>(random() % static_cast<uint32_t>(limit));
  };
  std::vector<PlainNode> nodes(1);
  while (static_cast<int>(nodes.size()) < mix.nodes) {
    PlainNode node;
    auto size = static_cast<int>(nodes.size());
    auto earlier = [&] {
      return static_cast<uint32_t>(size) - 1 - below(std::min(size, mix.reach_back));
    };
    node.operands.push_back(earlier());
    if (static_cast<int>(below(100)) < mix.candidate_percent) {
      node.candidate = CombinerGraph::Candidate{static_cast<uint8_t>(below(mix.kinds)),
                                                below(mix.keys), 1 + below(4)};
    } else {
      if (below(8) == 0) node.operands.clear();
      for (uint32_t more = below(3); more > 0; --more) node.operands.push_back(earlier());
      while (static_cast<int>(below(100)) < mix.control_percent) {
        uint32_t other = earlier();
        if (!nodes[other].candidate) node.control_predecessors.push_back(other);
      }
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

void compare(const Mix& mix, const std::vector<CombinerGraph::Limits>& limits, int rounds) {
  int merged = 0;
  for (int seed = 0; seed < rounds; ++seed) {
    std::mt19937 random(seed);
    std::vector<PlainNode> nodes = random_graph(mix, random);
    INFO("seed " << seed);
    Batches batches = real_batches(build(nodes), limits);
    REQUIRE(batches == PlainCombiner(nodes).run(limits));
    for (const auto& batch : batches) merged += static_cast<int>(batch.size());
  }
  CHECK(merged > rounds);
}

TEST_CASE("combiner graph: the fast simulation forms the plain one's batches") {
  std::vector<CombinerGraph::Limits> loose{{1000, 1000}, {1000, 1000}};
  SECTION("small and dense") { compare({.nodes = 20, .candidate_percent = 50}, loose, 3000); }
  SECTION("medium") { compare({}, loose, 2000); }
  SECTION("few keys, long reach") {
    compare({.nodes = 120, .candidate_percent = 40, .keys = 1, .reach_back = 60}, loose, 500);
  }
  SECTION("chains") { compare({.nodes = 80, .keys = 2, .reach_back = 4}, loose, 1500); }
  SECTION("control edges") { compare({.control_percent = 25}, loose, 1500); }
}

TEST_CASE("combiner graph: limits cut the plain one's batches") {
  compare({.candidate_percent = 50}, {{7, 1000}, {1000, 3}}, 1500);
  compare({.candidate_percent = 50}, {{3, 2}, {1, 1000}}, 1500);
}

TEST_CASE("combiner graph: more candidates than one block of bits holds") {
  compare({.nodes = 1500, .candidate_percent = 60, .keys = 4, .reach_back = 300},
          {{1000, 256}, {1000, 256}}, 3);
}

TEST_CASE("combiner graph: every candidate is in one batch") {
  std::mt19937 random(7);
  std::vector<PlainNode> nodes = random_graph({}, random);
  std::vector<int> seen(nodes.size());
  std::vector<CombinerGraph::Limits> limits{{3, 2}, {}};
  for (const auto& batch : build(nodes).batches(limits)) {
    for (uint32_t node : batch) ++seen[node];
  }
  for (size_t i = 0; i < nodes.size(); ++i) CHECK(seen[i] == (nodes[i].candidate ? 1 : 0));
}

TEST_CASE("combiner graph: asking twice gives the same") {
  std::mt19937 random(11);
  CombinerGraph graph = build(random_graph({}, random));
  std::vector<CombinerGraph::Limits> limits{{1000, 1000}, {1000, 1000}};
  CHECK(graph.batches(limits) == graph.batches(limits));
}

}  // namespace
}  // namespace flipsat::hlo
