#include "extract/bound/separation.h"

#include <functional>
#include <random>

#include "tests/catch.h"

namespace flipsat::extract {
namespace {

using Class = AndOrGraph::Class;

// A graph from the classes that each node of each class needs; class 0 is the root.
AndOrGraph graph_of(const std::vector<std::vector<std::vector<Class>>>& classes) {
  AndOrGraph graph;
  for (const auto& nodes : classes) {
    std::vector<AndOrNode> list;
    for (const auto& children : nodes) list.push_back({1, children});
    graph.add_class(std::move(list));
  }
  graph.add_root(0);
  return graph;
}

// Every program: of each class that the root needs a node, without a cycle. `action` gets, by
// class, the node or -1.
void each_program(const AndOrGraph& graph,
                  const std::function<void(const std::vector<int>&)>& action) {
  std::vector<int> node(graph.class_count(), -1);
  const auto reaches = [&](Class from, Class to) {
    std::vector<Class> open{from};
    std::vector<bool> seen(graph.class_count());
    while (!open.empty()) {
      const Class at = open.back();
      open.pop_back();
      if (at == to) return true;
      if (node[at] < 0 || seen[at]) continue;
      seen[at] = true;
      for (Class child : graph.nodes(at)[static_cast<size_t>(node[at])].children) {
        open.push_back(child);
      }
    }
    return false;
  };
  const std::function<void(std::vector<Class>)> choose = [&](std::vector<Class> open) {
    while (!open.empty() && node[open.back()] >= 0) open.pop_back();
    if (open.empty()) return action(node);
    const Class at = open.back();
    open.pop_back();
    for (size_t i = 0; i < graph.nodes(at).size(); ++i) {
      const auto& children = graph.nodes(at)[i].children;
      const bool is_cycle =
          std::ranges::any_of(children, [&](Class child) { return reaches(child, at); });
      if (is_cycle) continue;
      node[at] = static_cast<int>(i);
      std::vector<Class> more = open;
      more.insert(more.end(), children.begin(), children.end());
      choose(more);
      node[at] = -1;
    }
  };
  choose({0});
}

bool is_above(const AndOrGraph& graph, const std::vector<int>& program, Class upper, Class lower) {
  std::vector<Class> open{upper};
  std::vector<bool> seen(graph.class_count());
  while (!open.empty()) {
    const Class at = open.back();
    open.pop_back();
    if (at == lower) return true;
    if (seen[at]) continue;
    seen[at] = true;
    const auto& children = graph.nodes(at)[static_cast<size_t>(program[at])].children;
    open.insert(open.end(), children.begin(), children.end());
  }
  return false;
}

TEST_CASE("separation: what every program has below a value is below what needs the value") {
  // 0 needs 1; 1 is 2 or 3, and either needs 4; 4 is 5 or 6.
  const AndOrGraph graph = graph_of({{{1}}, {{2}, {3}}, {{4}}, {{4}}, {{5}, {6}}, {{}}, {{}}});
  const std::vector<Class> members{2, 3, 5, 6};
  const Separation separation(graph, members);
  CHECK(separation.is_below(5, 2));
  CHECK(separation.is_below(6, 3));
  CHECK_FALSE(separation.is_below(2, 5));
  CHECK_FALSE(separation.is_below(2, 3));
  const std::vector<int64_t> first{2, 2, 1, 1};
  CHECK(separation.parts(members, first, std::vector<bool>(4)) == std::vector<int>{1, 1, 0, 0});
}

TEST_CASE("separation: who may stand beside another part is in none") {
  // 1 and 3 are one above the other, 4 stands beside them.
  const AndOrGraph graph = graph_of({{{1, 4}}, {{2}}, {{3}}, {{}}, {{}}});
  const std::vector<Class> members{1, 3, 4};
  const Separation separation(graph, members);
  CHECK(separation.is_below(3, 1));
  CHECK_FALSE(separation.is_below(4, 1));
  const std::vector<int64_t> first{2, 1, 1};
  CHECK(separation.parts(members, first, {true, false, false}) ==
        std::vector<int>{1, 0, Separation::kNoPart});
  CHECK(separation.parts(members, first, {false, false, true}) ==
        std::vector<int>{Separation::kNoPart, 0, 0});
}

TEST_CASE("separation: a user that goes around the value takes nothing for granted") {
  // 1 needs 2, whose way to be made is 3; 0 needs 3 as well, or does not.
  const AndOrGraph graph = graph_of({{{1, 4}}, {{2}}, {{3}, {5}}, {{}}, {{3}, {5}}, {{}}});
  const std::vector<Class> members{1, 3};
  CHECK_FALSE(Separation(graph, members).is_below(3, 1));
}

TEST_CASE("separation: of nothing") {
  const AndOrGraph graph = graph_of({{{1}}, {{}}});
  const Separation separation(graph, {});
  CHECK_FALSE(separation.is_below(1, 0));
  CHECK(separation.parts({}, {}, {}).empty());
}

TEST_CASE("separation: holds in every program of random graphs, with cycles") {
  std::mt19937 random(11);
  int64_t claims = 0, programs = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const uint32_t count = 5 + random() % 6;
    std::vector<std::vector<std::vector<Class>>> classes(count);
    for (uint32_t cls = 0; cls < count; ++cls) {
      const uint32_t nodes = 1 + random() % 2;
      for (uint32_t i = 0; i < nodes; ++i) {
        std::vector<Class> children;
        for (uint32_t k = random() % 3; k-- > 0;) {
          // Mostly further down, now and then back up.
          const bool is_back = random() % 8 == 0;
          const Class child = is_back ? random() % count : cls + 1 + random() % 3;
          if (child < count && child > 0) children.push_back(child);
        }
        classes[cls].push_back(children);
      }
    }
    const AndOrGraph graph = graph_of(classes);
    std::vector<Class> members;
    for (Class cls = 1; cls < count; ++cls) members.push_back(cls);
    const Separation separation(graph, members);
    each_program(graph, [&](const std::vector<int>& program) {
      ++programs;
      for (Class lower : members) {
        for (Class upper : members) {
          if (lower == upper || program[lower] < 0 || program[upper] < 0) continue;
          if (!separation.is_below(lower, upper)) continue;
          ++claims;
          INFO("trial " << trial << ": " << lower << " below " << upper);
          CHECK(is_above(graph, program, upper, lower));
        }
      }
    });
  }
  CHECK(programs > 2000);
  CHECK(claims > 2000);
}

}  // namespace
}  // namespace flipsat::extract
