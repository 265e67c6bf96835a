// Snapshots that are no snapshots: cut off, damaged, or made to do harm.
#include <functional>
#include <random>

#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/egraph/io/snapshot_graphs.h"

namespace flipsat::egraph {
namespace {

std::string error_of(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const InputError& error) {
    return error.message();
  }
  return "";
}

// Read as a graph that is sound and goes on to be, or refused. True if it was read.
bool is_survived(const std::string& bytes, const RuleSet& rules) {
  try {
    EGraph graph = read(bytes);
    graph.check();
    const std::string again = written(graph);
    REQUIRE(written(read(again)) == again);
    RunOptions options;
    options.limits.iterations = 2;
    options.limits.nodes = graph.node_count() + 100;
    if (graph.operators().size() < 9) return true;  // the rules' are not all there
    run(graph, rules, options);
    graph.check();
    return true;
  } catch (const InputError&) {
  } catch (const std::length_error&) {  // no more epochs
  }
  return false;
}

RichGraph small_graph(bool keeps_history) { return RichGraph(keeps_history, nullptr, 3); }

TEST_CASE("snapshot damage: whatever byte is changed, with the checksum mended") {
  for (const bool keeps_history : {false, true}) {
    const RichGraph rich = small_graph(keeps_history);
    const std::string bytes = written(rich.graph);
    size_t read = 0;
    for (size_t at = 0; at < bytes.size() - 8; ++at) {
      for (const int change : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        CHECK(error_of(damaged) != "");
        read += is_survived(mended(damaged), rich.rules) ? 1 : 0;
      }
    }
    CHECK(read > 0);  // payloads, reasons: the checksum is not the only defence, but one
  }
}

TEST_CASE("snapshot damage: cut off anywhere") {
  for (const SnapshotFormat format : {SnapshotFormat::kBinary, SnapshotFormat::kJson}) {
    const std::string bytes = written(small_graph(true).graph, format);
    for (size_t length = 0; length < bytes.size(); ++length) {
      const std::string cut = bytes.substr(0, length);
      if (format == SnapshotFormat::kJson && bytes.find_first_not_of("\n", length) == bytes.npos) {
        continue;
      }
      REQUIRE(error_of(cut) != "");
      if (format == SnapshotFormat::kBinary) REQUIRE(error_of(mended(cut)) != "");
    }
  }
}

TEST_CASE("snapshot damage: random splices, with the checksum mended") {
  std::mt19937_64 random(7);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  for (const SnapshotFormat format : {SnapshotFormat::kBinary, SnapshotFormat::kJson}) {
    const RichGraph rich = small_graph(true);
    const std::string bytes = written(rich.graph, format);
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = bytes;
      for (size_t splices = 1 + below(3); splices > 0; --splices) {
        const size_t unit = format == SnapshotFormat::kBinary ? 4 : 1;
        const size_t from = below(bytes.size()), to = below(damaged.size());
        const std::string piece = bytes.substr(from, unit * (1 + below(6)));
        if (below(4) == 0) {
          damaged.insert(to, piece);
        } else {
          damaged.replace(to, below(4) == 0 ? 0 : piece.size(), piece);
        }
      }
      is_survived(format == SnapshotFormat::kBinary ? mended(damaged) : damaged, rich.rules);
    }
  }
}

TEST_CASE("snapshot damage: words that mean something elsewhere, in every place") {
  for (const bool keeps_history : {false, true}) {
    const RichGraph rich = small_graph(keeps_history);
    const auto json = nlohmann::json::parse(written(rich.graph, SnapshotFormat::kJson));
    const uint32_t bound = rich.graph.node_bound();
    for (const auto& [name, value] : json.items()) {
      for (size_t i = 0; i < (value.is_array() ? value.size() : 0); ++i) {
        for (const uint64_t word :
             {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{bound - 1}, uint64_t{bound},
              uint64_t{1} << 30, uint64_t{1} << 31, (uint64_t{1} << 31) - 1, uint64_t{1} << 29,
              uint64_t{UINT32_MAX}, uint64_t{UINT32_MAX} + 1, UINT64_MAX}) {
          auto damaged = json;
          damaged[name][i] = word;
          is_survived(damaged.dump(), rich.rules);
        }
      }
    }
  }
}

TEST_CASE("snapshot damage: what is wrong is said") {
  const RichGraph rich = small_graph(true);
  const std::string bytes = written(rich.graph);
  CHECK(error_of("") == "the file is empty");
  CHECK(error_of("workload x\n") == "this is no snapshot");
  CHECK(error_of(bytes.substr(0, 5)) == "this is no snapshot");
  CHECK(error_of(bytes.substr(0, 40)).starts_with("the snapshot is damaged or cut off at its \""));
  std::string newer = bytes;
  newer[8] = 9;
  CHECK(error_of(newer) == "the format's version is 9, and only version 1 is known here");
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 1;
  CHECK(error_of(damaged) == "the checksum is wrong");
  CHECK(error_of("{") == "the snapshot is damaged or cut off at its \"start\"");
  CHECK(error_of("{}") == "the snapshot is damaged or cut off at its \"flipsat_egraph_snapshot\"");
  CHECK(error_of("{\"nodes\": {}}") ==
        "the snapshot is damaged or cut off at its \"flipsat_egraph_snapshot\"");
  CHECK(error_of("{\"flipsat_egraph_snapshot\": 2}") ==
        "the format's version is 2, and only version 1 is known here");
  CHECK(error_of("{\"flipsat_egraph_snapshot\": 1}") ==
        "the snapshot is damaged or cut off at its \"live_nodes\"");
  CHECK(error_of("{\"a\": " + std::string(1'000'000, '[')) ==
        "the snapshot is damaged or cut off at its \"start\"");
}

TEST_CASE("snapshot damage: a count of more than the file holds takes no memory") {
  EGraph empty;
  const std::string bytes = written(empty);
  size_t at = 13 + 40;  // behind the version, the byte order, and the numbers
  const auto try_counts = [&](int arrays) {
    for (int i = 0; i < arrays; ++i, at += 8) {
      for (const int byte : {0, 2, 3, 4, 7}) {
        std::string huge = bytes;
        huge[at + byte] = '\x10';
        CHECK(error_of(mended(huge)).starts_with("the snapshot is damaged or cut off at its"));
      }
    }
  };
  try_counts(13);
  at += 4;  // is there a history?
  try_counts(5);
  at += 8;  // data of the client's, their form
  try_counts(2);
  CHECK(at + 8 == bytes.size());
}

// A snapshot with one thing changed, as JSON.
std::string error_with(const RichGraph& rich, const std::function<void(nlohmann::json&)>& change) {
  auto json = nlohmann::json::parse(written(rich.graph, SnapshotFormat::kJson));
  change(json);
  return error_of(json.dump());
}

TEST_CASE("snapshot damage: each fault is found by its own check") {
  RichGraph rich = small_graph(true);
  const EGraph& graph = rich.graph;
  const uint32_t bound = graph.node_bound();
  constexpr uint32_t kNoEntry = Arrays::kNoEntry, kRoot = Arrays::kRoot;
  NodeId sum = 0;  // some node of two children
  while (graph.children(sum).size() != 2) ++sum;
  NodeId wide = 0;
  while (graph.children(wide).size() != 3) ++wide;
  const ClassId leaf = graph.find(0);
  const auto with = [&](auto change) { return error_with(rich, change); };
  using Json = nlohmann::json;

  CHECK(with([](Json&) {}) == "");
  CHECK(with([&](Json& j) { j["names"].erase(0); }) == "there are not as many names as nodes");
  CHECK(with([&](Json& j) {
          j["nodes"].erase(0);
        }).starts_with("the snapshot is damaged or cut off at its \"nodes\""));
  CHECK(with([&](Json& j) { j["nodes"][4 * sum] = 1000; }).starts_with("a node has no such op"));
  CHECK(with([&](Json& j) { j["nodes"][4 * sum + 1] = bound; }).starts_with("a child is no class"));
  CHECK(with([&](Json& j) {
          j["nodes"][4 * wide + 1] = 1;
        }).starts_with("a wide node's children are not its own"));
  CHECK(with([&](Json& j) { j["nodes"][1] = 0; }).starts_with("a node has a child too many"));
  CHECK(with([&](Json& j) {
          j["wide_owners"][0] = 0;
        }).starts_with("a wide child has another owner"));
  CHECK(with([&](Json& j) {
          j["unordered"] = {RichGraph::kAdd, RichGraph::kBag};
        }).starts_with("a node of an unordered kind is not wide"));
  CHECK(with([&](Json& j) {
          j["unordered"] = {RichGraph::kBag, RichGraph::kBag};
        }).starts_with("an unordered kind is out of range"));
  CHECK(with([&](Json& j) { j["operators"].push_back(1); }) == "an operator has no payload");
  CHECK(with([&](Json& j) {
          j["operators"][2] = j["operators"][0];
          j["operators"][3] = j["operators"][1];
        }) == "an operator is given twice");
  CHECK(with([&](Json& j) {
          j["operators"][0] = 65536;
        }).starts_with("the kind of an operator is out of range"));
  CHECK(with([&](Json& j) { j["names"][leaf] = leaf; }).starts_with("a node's name is no class"));
  CHECK(with([&](Json& j) {
          j["names"][leaf] = kRoot | (2 * bound);
        }).starts_with("a list of parents begins nowhere"));
  CHECK(with([&](Json& j) {
          j["parent_links"][2 * sum] = 2 * bound;
        }).starts_with("a list of parents goes on nowhere"));
  // A list of parents that never ends, and one that ends too early.
  const Json plain = Json::parse(written(graph, SnapshotFormat::kJson));
  uint32_t first = kNoEntry;  // of some list
  for (const uint32_t name : plain["names"]) {
    const uint32_t entry = name & ~kRoot;
    if ((name & kRoot) == 0 || entry >= 2 * bound) continue;
    if (plain["parent_links"][entry] != kNoEntry) first = entry;
  }
  REQUIRE(first != kNoEntry);
  CHECK(with([&](Json& j) {
          j["parent_links"][first] = first;
        }).starts_with("parents are listed twice"));
  CHECK(with([&](Json& j) {
          j["parent_links"][first] = kNoEntry;
        }).find("a live node is not a parent of each child") != std::string::npos);
  CHECK(with([&](Json& j) {
          j["class_links"][2 * leaf] = bound;
        }).starts_with("a class goes on nowhere"));
  CHECK(with([&](Json& j) {
          j["class_links"][2 * leaf] = sum;
        }).starts_with("a node stands in a class that is not its own"));
  CHECK(with([&](Json& j) {
          j["class_links"][2 * leaf + 1] = 0;
        }).find("the mask of kinds is wrong") != std::string::npos);
  CHECK(with([&](Json& j) { j["classes"] = graph.class_count() + 1; }) != "");
  CHECK(with([&](Json& j) { j["live_nodes"] = graph.node_count() + 1; }) != "");
  CHECK(with([&](Json& j) { j["untidy_nodes"] = bound; }) == "more nodes are untidy than stale");
  CHECK(with([&](Json& j) { j["untidy"][0] = UINT64_MAX; }) == "what is no class is untidy");
  CHECK(with([&](Json& j) {
          j["to_modify"] = {bound};
        }).starts_with("what is no class waits for the analysis"));
  CHECK(with([&](Json& j) { j["to_modify"] = {0}; }) == "classes wait for no analysis");
  CHECK(with([&](Json& j) { j["epoch"] = 0; }) == "the epoch is out of range");
  CHECK(with([&](Json& j) { j["epoch"] = 1; }) == "a block is newer than the epoch");
  CHECK(with([&](Json& j) {
          j["block_epochs"][0] = 0;
        }).find("a stamp is newer than its block's") != std::string::npos);
  CHECK(with([&](Json& j) { j["edges"][0] = bound; }) == "an edge is of no classes");
  CHECK(with([&](Json& j) { j["edges"][0] = j["edges"][1]; }) ==
        "an edge is a loop, or given twice");
  CHECK(with([&](Json& j) { j["has_history"] = 0; }) == "there is a history that is not kept");
  CHECK(with([&](Json& j) { j["has_history"] = 2; }) == "a flag is neither 0 nor 1");
  CHECK(with([&](Json& j) { j["origins"].erase(0); }) == "there are not as many origins as nodes");
  CHECK(with([&](Json& j) { j["first_written_child"][1] = 5; }) ==
        "the children of the history are not the nodes'");
  CHECK(with([&](Json& j) {
          j["written_children"][0] = bound;
        }).starts_with("a node was written with a newer child"));
  CHECK(with([&](Json& j) {
          j["unions"][0] = j["unions"][1];
        }).starts_with("a union is of equal nodes"));
  CHECK(with([&](Json& j) { j["unions"][2] = kCongruence; }).starts_with("a congruence is none"));
  CHECK(with([&](Json& j) {
          j["unions"][3] = 1'000'000;
        }).starts_with("a union's match is not there"));
  CHECK(with([&](Json& j) { j["unions"] = Json::array(); }) != "");
  CHECK(with([&](Json& j) { j["matches"][0] = bound; }) == "a match has what is no node");
  CHECK(with([&](Json& j) { j["data_form"] = 3; }) == "the form of the data is unknown");
  CHECK(with([&](Json& j) { j["has_given_data"] = 1; }) == "data of the client's are missing");
  CHECK(with([&](Json& j) {
          j["nodes"] = 3;
        }).starts_with("the snapshot is damaged or cut off at its \"nodes\""));
  CHECK(with([&](Json& j) {
          j["nodes"][0] = "1";
        }).starts_with("the snapshot is damaged or cut off at its \"nodes\""));
}

// Two leaves: a graph so small that it can be written by hand.
TEST_CASE("snapshot damage: nodes that no term can be made of, and doubles") {
  EGraph graph;
  const OperatorId f = graph.intern(1);
  const ClassId a = graph.add(graph.intern(0, 0));
  graph.add(f, {a});
  graph.add(f, {graph.add(graph.intern(0, 1))});
  const auto json = nlohmann::json::parse(written(graph, SnapshotFormat::kJson));
  // Node 1 as its own child.
  auto circle = json;
  circle["nodes"][4 * 1 + 1] = 1;
  circle["names"][0] = uint32_t{Arrays::kRoot | Arrays::kNoEntry};
  circle["names"][1] = uint32_t{Arrays::kRoot | 2};
  CHECK(error_of(circle.dump()).starts_with("a node is older than its child"));
  // Node 3 as the double of node 1.
  auto twins = json;
  twins["nodes"][4 * 3 + 1] = 0;
  twins["names"][2] = uint32_t{Arrays::kRoot | Arrays::kNoEntry};
  twins["names"][0] = uint32_t{Arrays::kRoot | 2};
  twins["parent_links"][2] = 6;
  CHECK(error_of(twins.dump()) == "two nodes are congruent");
}

}  // namespace
}  // namespace flipsat::egraph
