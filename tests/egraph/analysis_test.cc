#include "egraph/analysis.h"

#include <optional>

#include "egraph/egraph.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

enum : Kind { kNumber, kName, kAdd };

struct Constant {
  std::optional<uint32_t> value;
};

// Folds sums of numbers, and puts the number into the class.
class Folding : public AnalysisOf<Constant> {
 public:
  Constant make(const EGraph& graph, NodeId node) const override {
    ++made;
    if (graph.kind(node) == kNumber) return {graph.payload(node)};
    if (graph.kind(node) == kName) return {};
    uint32_t sum = 0;
    for (const ClassId child : graph.children(node)) {
      const std::optional<uint32_t> value = graph.data<Constant>(child).value;
      if (!value) return {};
      sum += *value;
    }
    return {sum};
  }
  MergeResult merge(Constant& into, const Constant& from) const override {
    MergeResult result;
    result.into_changed = !into.value && from.value;
    result.from_differs = into.value && !from.value;
    if (result.into_changed) into = from;
    return result;
  }
  void modify(EGraph& graph, ClassId cls) override {
    if (const auto value = graph.data<Constant>(cls).value) {
      graph.merge(cls, graph.add(graph.intern(kNumber, *value)));
    }
  }
  mutable int made = 0;
};

struct Sums {
  Folding* folding = new Folding;
  EGraph graph{std::unique_ptr<Analysis>(folding)};
  OperatorId add = graph.intern(kAdd);
  ClassId number(uint32_t value) { return graph.add(graph.intern(kNumber, value)); }
  ClassId name(uint32_t name) { return graph.add(graph.intern(kName, name)); }
};

TEST_CASE_METHOD(Sums, "analysis: make reads the children's data, modify changes the class") {
  const ClassId sum = graph.add(add, {number(2), number(3)});
  graph.rebuild();
  CHECK(graph.data<Constant>(sum).value == 5);
  CHECK(graph.find(sum) == number(5));
}

TEST_CASE_METHOD(Sums, "analysis: a fact learnt late goes up through all parents") {
  const ClassId x = name(0);
  ClassId sum = x;
  for (int i = 0; i < 50; ++i) sum = graph.add(add, {sum, number(1)});
  graph.rebuild();
  CHECK_FALSE(graph.data<Constant>(sum).value);
  graph.merge(x, number(7));
  graph.rebuild();
  CHECK(graph.data<Constant>(sum).value == 57);
  CHECK(graph.find(sum) == number(57));
  graph.check();
}

TEST_CASE_METHOD(Sums, "analysis: a change of data stamps the rows that have the class") {
  const ClassId x = name(0);
  const ClassId sum = graph.add(add, {x, x});
  const NodeId above = graph.add(add, {sum, name(1)});
  graph.rebuild();
  const uint32_t before = graph.next_epoch();
  graph.merge(x, number(7));
  graph.rebuild();
  CHECK(graph.stamp(above) > before);  // it has sum as a child, whose datum is known now
}

TEST_CASE_METHOD(Sums, "analysis: also the rows of the class that keeps its name are stamped") {
  const ClassId x = name(0);
  // Two parents for x, so that it is the number's class that is renamed; what the sums are worth
  // stays unknown.
  const NodeId first = graph.add(add, {x, name(1)});
  const NodeId second = graph.add(add, {x, name(2)});
  const ClassId seven = number(7);
  graph.rebuild();
  const uint32_t before = graph.next_epoch();
  graph.merge(x, seven);
  graph.rebuild();
  REQUIRE(graph.find(seven) == x);
  CHECK(graph.stamp(first) > before);
  CHECK(graph.stamp(second) > before);
  CHECK(graph.stamp(x) > before);
}

TEST_CASE_METHOD(Sums, "analysis: a node added to a class joins its datum") {
  const ClassId x = name(0);
  const ClassId above = graph.add(add, {x, number(1)});
  graph.rebuild();
  const ClassId two = number(2), three = number(3);
  graph.add_to(x, add, std::vector{two, three});
  graph.rebuild();
  CHECK(graph.data<Constant>(x).value == 5);
  CHECK(graph.data<Constant>(above).value == 6);
  CHECK(graph.find(x) == number(5));
}

TEST_CASE_METHOD(Sums, "analysis: data given at birth replace make") {
  const int before = folding->made;
  const ClassId x = graph.add(graph.intern(kName, 3), {}, Constant{9});
  CHECK(folding->made == before);
  CHECK(graph.data<Constant>(x).value == 9);
}

TEST_CASE_METHOD(Sums, "analysis: data given for a node that is there are joined") {
  const ClassId x = name(3);
  const ClassId sum = graph.add(add, {x, number(1)});
  graph.add(graph.intern(kName, 3), {}, Constant{9});
  graph.rebuild();
  CHECK(graph.data<Constant>(sum).value == 10);
}

TEST_CASE_METHOD(Sums, "analysis: a spent budget puts modify off, not congruence") {
  const ClassId sum = graph.add(add, {number(2), number(3)});
  const ClassId x = name(0), y = name(1);
  const ClassId x_sum = graph.add(add, {x, x}), y_sum = graph.add(add, {y, y});
  graph.merge(x, y);
  Limits none;
  none.nodes = 0;
  Budget budget(none);
  graph.rebuild(&budget);
  CHECK(graph.find(x_sum) == graph.find(y_sum));
  CHECK_FALSE(graph.lookup(graph.intern(kNumber, 5)).has_value());
  graph.rebuild();
  CHECK(graph.lookup(graph.intern(kNumber, 5)) == graph.find(sum));
}

// A shape: known at birth, never flows.
struct Shape {
  int size = 0;
};
class Shapes : public AnalysisOf<Shape> {
 public:
  bool propagates() const override { return false; }
  Shape make(const EGraph&, NodeId) const override { throw std::logic_error("no shape given"); }
  MergeResult merge(Shape&, const Shape&) const override { return {}; }
};

TEST_CASE("analysis: a fact given at birth is never asked for again") {
  EGraph graph(std::make_unique<Shapes>());
  const ClassId a = graph.add(graph.intern(kName, 0), {}, Shape{4});
  const ClassId b = graph.add(graph.intern(kName, 1), {}, Shape{4});
  const ClassId top = graph.add(graph.intern(kAdd), {a, b}, Shape{8});
  graph.merge(a, b);
  graph.rebuild();
  CHECK(graph.data<Shape>(top).size == 8);
  CHECK(graph.data<Shape>(b).size == 4);
}

}  // namespace
}  // namespace flipsat::egraph
