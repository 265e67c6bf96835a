// E-graphs for tests of snapshots: with everything that a snapshot has to keep.
#pragma once

#include <sstream>
#include <string>

#include "egraph/io/snapshot.h"
#include "egraph/io/snapshot_checksum.h"
#include "egraph/runner.h"

namespace flipsat::egraph {

// Sums that are being made commutative and associative, nodes of three children, an unordered
// kind, a directed edge; after two iterations, so that there are stale nodes, and rules have more
// to do.
struct RichGraph {
  enum : Kind { kLeaf, kAdd, kThree, kBag, kNeg };

  explicit RichGraph(bool keeps_history, std::unique_ptr<Analysis> analysis = nullptr,
                     uint32_t leaves = 5)
      : graph(std::move(analysis)) {
    if (keeps_history) graph.keep_history();
    graph.declare_unordered(kBag);
    const OperatorId add = graph.intern(kAdd), three = graph.intern(kThree, 7);
    const OperatorId bag = graph.intern(kBag), neg = graph.intern(kNeg);
    ClassId sum = graph.add(graph.intern(kLeaf, 0));
    for (uint32_t i = 1; i < leaves; ++i) {
      sum = graph.add(add, {sum, graph.add(graph.intern(kLeaf, i))});
    }
    const ClassId twice = graph.add(neg, {graph.add(neg, {sum})});
    graph.add(three, {sum, twice, ClassId{0}});
    graph.add(three, {twice, sum, ClassId{0}});
    graph.add_edge(sum, 0, 17);

    const ClassVar x{"x"}, y{"y"}, z{"z"};
    rules.add(Rule("comm", node(kAdd, {x, y})).to(exact(add, {y, x})));
    rules.add(
        Rule("assoc", node(kAdd, {x, node(kAdd, {y, z})})).to(exact(add, {exact(add, {x, y}), z})));
    rules.add(Rule("turn", node(kThree, {x, y, z})).to(exact(three, {y, z, x})));
    rules.add(Rule("bag", node(kThree, {x, y, z})).to(exact(bag, {z, y, x})));
    rules.add(Rule("neg", node(kNeg, {node(kNeg, {x})})).to(x));
    RunOptions options;
    options.limits.iterations = 2;
    run(graph, rules, options);
  }

  EGraph graph;
  RuleSet rules;
};

inline std::string written(const EGraph& graph, SnapshotFormat format = SnapshotFormat::kBinary) {
  std::ostringstream out;
  write_snapshot(graph, out, format);
  return out.str();
}

inline EGraph read(const std::string& bytes, std::unique_ptr<Analysis> analysis = nullptr) {
  std::istringstream in(bytes);
  return read_snapshot(in, "f", std::move(analysis));
}

// The bytes with the checksum that they should have, so that it does not hide what is behind it.
inline std::string mended(std::string bytes) {
  constexpr size_t kMagic = 8, kSum = 8;
  if (bytes.size() < kMagic + kSum) return bytes;
  Checksum sum;
  sum.add(bytes.data() + kMagic, bytes.size() - kMagic - kSum);
  for (size_t i = 0; i < kSum; ++i) {
    bytes[bytes.size() - kSum + i] = static_cast<char>(sum.value() >> (8 * i));
  }
  return bytes;
}

}  // namespace flipsat::egraph
