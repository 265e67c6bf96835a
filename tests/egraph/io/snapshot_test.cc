#include "egraph/io/snapshot.h"

#include <algorithm>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/egraph/io/snapshot_graphs.h"
#include "tests/egraph/workload.h"

namespace flipsat::egraph {
namespace {

template <class Range>
std::vector<uint32_t> list(const Range& range) {
  std::vector<uint32_t> ids;
  for (const uint32_t id : range) ids.push_back(id);
  return ids;
}

// In whatever can be asked of them.
void require_same(const EGraph& a, const EGraph& b) {
  REQUIRE(a.node_bound() == b.node_bound());
  REQUIRE(a.classes() == b.classes());
  CHECK(a.node_count() == b.node_count());
  CHECK(a.class_count() == b.class_count());
  CHECK(a.bytes() == b.bytes());
  CHECK(a.epoch() == b.epoch());
  CHECK(a.origin() == b.origin());
  CHECK(a.all_edges().size() == b.all_edges().size());
  REQUIRE(a.operators().size() == b.operators().size());
  for (NodeId node = 0; node < a.node_bound(); ++node) {
    REQUIRE(a.find(node) == b.find(node));
    REQUIRE(a.op(node) == b.op(node));
    REQUIRE(a.kind(node) == b.kind(node));
    REQUIRE(a.payload(node) == b.payload(node));
    REQUIRE(a.is_live(node) == b.is_live(node));
    REQUIRE(a.stamp(node) == b.stamp(node));
    REQUIRE(a.born_of(node) == b.born_of(node));
    REQUIRE(std::ranges::equal(a.children(node), b.children(node)));
    REQUIRE(a.lookup(a.op(node), a.children(node)) == b.lookup(a.op(node), a.children(node)));
  }
  for (const ClassId cls : a.classes()) {
    REQUIRE(list(a.nodes(cls)) == list(b.nodes(cls)));
    REQUIRE(list(a.parents(cls)) == list(b.parents(cls)));
    REQUIRE(a.kinds(cls) == b.kinds(cls));
    REQUIRE(a.edges(cls).size() == b.edges(cls).size());
    for (size_t i = 0; i < a.edges(cls).size(); ++i) {
      REQUIRE(a.edges(cls)[i].to == b.edges(cls)[i].to);
      REQUIRE(a.edges(cls)[i].reason == b.edges(cls)[i].reason);
    }
  }
}

const SnapshotFormat kFormats[] = {SnapshotFormat::kBinary, SnapshotFormat::kJson};

TEST_CASE("snapshot: what is read is what was written") {
  for (const bool keeps_history : {false, true}) {
    RichGraph rich(keeps_history);
    REQUIRE(rich.graph.node_count() < rich.graph.node_bound());
    for (const SnapshotFormat format : kFormats) {
      const std::string bytes = written(rich.graph, format);
      const EGraph again = read(bytes);
      again.check();
      require_same(rich.graph, again);
      CHECK(written(again, format) == bytes);
      CHECK(again.is_unordered(RichGraph::kBag));
      CHECK(again.history().is_kept == keeps_history);
    }
  }
}

TEST_CASE("snapshot: an empty graph, and one of which nothing but operators is there") {
  EGraph graph;
  require_same(graph, read(written(graph)));
  require_same(graph, read(written(graph, SnapshotFormat::kJson)));
  graph.intern(65535, UINT32_MAX);
  graph.declare_unordered(65535);
  graph.keep_history();
  EGraph again = read(written(graph));
  CHECK(again.intern(65535, UINT32_MAX) == 0);
  CHECK(again.is_unordered(65535));
  again.add(0);
  CHECK(again.history().origins.size() == 1);
}

TEST_CASE("snapshot: both forms say the same") {
  const RichGraph rich(true);
  CHECK(written(read(written(rich.graph, SnapshotFormat::kJson))) == written(rich.graph));
}

TEST_CASE("snapshot: what is read grows like what was written, node for node") {
  for (const bool keeps_history : {false, true}) {
    for (const SnapshotFormat format : kFormats) {
      RichGraph rich(keeps_history);
      EGraph again = read(written(rich.graph, format));
      RunOptions options;
      for (uint64_t iterations : {1, 2, 20}) {
        options.limits.iterations = iterations;
        const RunReport report = run(rich.graph, rich.rules, options);
        CHECK(run(again, rich.rules, options).stop == report.stop);
        again.check();
        require_same(rich.graph, again);
        CHECK(written(rich.graph) == written(again));
      }
    }
  }
  // ... also where lists have been tidied, and of some size.
  Workload sum = sum_of_leaves(8);
  RunOptions options;
  options.limits.nodes = 3000;
  run(sum.graph, sum.rules, options);
  EGraph again = read(written(sum.graph));
  run(sum.graph, sum.rules, {});
  run(again, sum.rules, {});
  CHECK(written(sum.graph) == written(again));
}

TEST_CASE("snapshot: the binary form ends where it ends") {
  const RichGraph rich(false);
  std::istringstream in(written(rich.graph) + written(rich.graph) + "rest");
  read_snapshot(in, "f");
  require_same(read_snapshot(in, "f"), rich.graph);
  std::string rest;
  in >> rest;
  CHECK(rest == "rest");
}

TEST_CASE("snapshot: a graph that is not rebuilt is not written") {
  RichGraph rich(false);
  rich.graph.merge(0, 1);
  std::ostringstream out;
  CHECK_THROWS_AS(write_snapshot(rich.graph, out), std::logic_error);
  CHECK(out.str().empty());
}

TEST_CASE("snapshot: a stream that takes no more is an error") {
  class Full : public std::streambuf {
    std::streamsize xsputn(const char*, std::streamsize count) override {
      const std::streamsize takes = std::min(count, left_);
      left_ -= takes;
      return takes;
    }
    int overflow(int byte) override { return left_-- > 0 ? byte : EOF; }
    std::streamsize left_ = 100;
  };
  const RichGraph rich(false);
  for (const SnapshotFormat format : kFormats) {
    Full buffer;
    std::ostream out(&buffer);
    CHECK_THROWS_AS(write_snapshot(rich.graph, out, format), std::ios_base::failure);
  }
}

}  // namespace
}  // namespace flipsat::egraph
