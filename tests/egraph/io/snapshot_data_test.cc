// Analysis data in snapshots: made again, or written by the client.
#include <charconv>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/egraph/io/snapshot_graphs.h"

namespace flipsat::egraph {
namespace {

// The smallest number of nodes of a term in the class: falls while the graph grows.
struct Size {
  uint32_t nodes = 0;
};

class Sizes : public AnalysisOf<Size> {
 public:
  Size make(const EGraph& graph, NodeId node) const override {
    uint32_t sum = 1;
    for (const ClassId child : graph.children(node)) sum += graph.data<Size>(child).nodes;
    return {sum};
  }
  MergeResult merge(Size& into, const Size& from) const override {
    const MergeResult result{from.nodes < into.nodes, into.nodes < from.nodes};
    into.nodes = std::min(into.nodes, from.nodes);
    return result;
  }
};

class WrittenSizes : public Sizes {
 public:
  bool writes_data() const override { return true; }
  void write(const Size& size, std::string& bytes) const override {
    bytes += std::to_string(size.nodes);
  }
  Size read(std::string_view bytes) const override {
    Size size;
    const auto [end, error] =
        std::from_chars(bytes.data(), bytes.data() + bytes.size(), size.nodes);
    if (error != std::errc() || end != bytes.data() + bytes.size()) {
      throw std::invalid_argument("no number");
    }
    return size;
  }
};

// Adds nodes when asked, so that one can see whether it was.
class Marking : public Sizes {
 public:
  void modify(EGraph& graph, ClassId cls) override {
    if (graph.children(cls).empty()) graph.add(graph.intern(9), {cls});
  }
};

std::vector<uint32_t> sizes(const EGraph& graph) {
  std::vector<uint32_t> all;
  for (const ClassId cls : graph.classes()) all.push_back(graph.data<Size>(cls).nodes);
  return all;
}

std::string error_of(const std::string& bytes, std::unique_ptr<Analysis> analysis) {
  try {
    read(bytes, std::move(analysis));
  } catch (const InputError& error) {
    return error.message();
  }
  return "";
}

TEST_CASE("snapshot data: made again where they are not written") {
  RichGraph rich(false, std::make_unique<Sizes>());
  // A class in a circle, whose datum comes down after its parents have had theirs.
  const ClassId big = rich.graph.add(rich.graph.intern(RichGraph::kNeg), {rich.graph.find(8)});
  rich.graph.merge(big, rich.graph.add(rich.graph.intern(RichGraph::kLeaf, 99)));
  rich.graph.rebuild();
  const std::string bytes = written(rich.graph);
  EGraph again = read(bytes, std::make_unique<Sizes>());
  again.check();
  CHECK(sizes(again) == sizes(rich.graph));
  CHECK(written(again) == bytes);
  run(rich.graph, rich.rules, {});
  run(again, rich.rules, {});
  CHECK(sizes(again) == sizes(rich.graph));
  CHECK(written(again) == written(rich.graph));
}

TEST_CASE("snapshot data: those that the client writes are the client's") {
  for (const SnapshotFormat format : {SnapshotFormat::kBinary, SnapshotFormat::kJson}) {
    RichGraph rich(false, std::make_unique<WrittenSizes>());
    rich.graph.add(rich.graph.intern(RichGraph::kLeaf, 50), {}, Size{1000});
    rich.graph.rebuild();
    const std::string bytes = written(rich.graph, format);
    EGraph again = read(bytes, std::make_unique<WrittenSizes>());
    CHECK(sizes(again) == sizes(rich.graph));
    CHECK(written(again, format) == bytes);
    // Without an analysis there are none, and the graph is the same.
    CHECK(read(bytes).node_count() == rich.graph.node_count());
    CHECK(error_of(bytes, std::make_unique<Sizes>()) ==
          "there are data that this analysis does not read");
  }
}

TEST_CASE("snapshot data: what the client handed over and does not write cannot be kept") {
  RichGraph rich(false, std::make_unique<Sizes>());
  rich.graph.add(rich.graph.intern(RichGraph::kLeaf, 50), {}, Size{1000});
  rich.graph.rebuild();
  std::ostringstream out;
  CHECK_THROWS_AS(write_snapshot(rich.graph, out), std::logic_error);
}

TEST_CASE("snapshot data: what the client cannot read, or cannot be, is an error") {
  RichGraph rich(false, std::make_unique<WrittenSizes>());
  std::string bytes = written(rich.graph);
  const size_t last = bytes.size() - 9;  // of the data, before the checksum
  bytes[last] = 'x';
  CHECK(error_of(mended(bytes), std::make_unique<WrittenSizes>()).ends_with(": no number"));
  bytes[last] = '9';
  CHECK(error_of(mended(bytes), std::make_unique<WrittenSizes>()) ==
        "the data are not at their fix-point");
}

TEST_CASE("snapshot data: an analysis that the graph did not have sees it as new") {
  RichGraph rich(false);
  EGraph again = read(written(rich.graph), std::make_unique<Marking>());
  const uint64_t before = again.node_count();
  CHECK(again.data<Size>(0).nodes == 1);
  again.rebuild();
  CHECK(again.node_count() == before + 5);
}

TEST_CASE("snapshot data: classes that wait for `modify` go on waiting") {
  RichGraph rich(false, std::make_unique<Marking>());
  rich.graph.add(rich.graph.intern(RichGraph::kLeaf, 60));
  Limits limits;
  limits.nodes = 1;  // spent at once
  Budget budget(limits);
  rich.graph.rebuild(&budget);
  EGraph again = read(written(rich.graph), std::make_unique<Marking>());
  CHECK(again.node_count() == rich.graph.node_count());
  again.rebuild();
  CHECK(again.node_count() == rich.graph.node_count() + 1);
}

}  // namespace
}  // namespace flipsat::egraph
