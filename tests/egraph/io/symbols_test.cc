#include "egraph/io/symbols.h"

#include <stdexcept>

#include "egraph/io/print.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

TEST_CASE("symbols: heads are kinds from 1 on, leaves payloads of kind 0, by first use") {
  Symbols symbols;
  EGraph graph;
  const SymbolId x = symbols.leaf("x"), plus = symbols.head("+"), y = symbols.leaf("y");
  const SymbolId times = symbols.head("*");
  CHECK(symbols.leaf("x") == x);
  CHECK(symbols.head("+") == plus);
  CHECK(symbols.kind(plus) == 1);
  CHECK(symbols.kind(times) == 2);
  CHECK(graph.operators().payload(symbols.intern(graph, y)) == 1);
  CHECK(graph.operators().kind(symbols.intern(graph, y)) == Symbols::kLeaf);
  CHECK(symbols.find_leaf("+") == kNoId);
  CHECK(symbols.find_head("+") == plus);
  CHECK(symbols.find_head("-") == kNoId);
  CHECK(symbols.intern_all(graph)[times] == symbols.intern(graph, times));
}

TEST_CASE("symbols: a name may be head and leaf, and the graph's nodes know which") {
  Symbols symbols;
  EGraph graph;
  const ClassId leaf = graph.add(symbols.intern(graph, symbols.leaf("f")));
  const ClassId node = graph.add(symbols.intern(graph, symbols.head("f")), {leaf});
  CHECK(leaf != node);
  CHECK(symbols.symbol(graph.kind(leaf), graph.payload(leaf)) == symbols.leaf("f"));
  CHECK(symbols.symbol(graph.kind(node), graph.payload(node)) == symbols.head("f"));
}

TEST_CASE("symbols: names stay where they are when the table moves and grows") {
  Symbols first;
  const std::string_view x = first.name(first.leaf(std::string("x")));
  const std::string_view variable = first.variable(std::string("?v"));
  Symbols symbols = std::move(first);
  for (int i = 0; i < 50'000; ++i) symbols.leaf("some-leaf-" + std::to_string(i));
  const std::string large(200'000, 'L');
  CHECK(symbols.name(symbols.leaf(large)) == large);
  CHECK(x == "x");
  CHECK(symbols.variable("?v").data() == variable.data());
  CHECK(symbols.name(symbols.find_leaf("some-leaf-49999")) == "some-leaf-49999");
  CHECK(symbols.name(symbols.leaf("")).empty());
}

TEST_CASE("symbols: more heads than kinds") {
  Symbols symbols;
  for (uint32_t i = 0; i < Symbols::kMaxHeads; ++i) symbols.head(std::to_string(i));
  CHECK(symbols.kind(symbols.head("65534")) == UINT16_MAX);
  CHECK_FALSE(symbols.can_add_head());
  CHECK_THROWS_AS(symbols.head("one-more"), std::length_error);
  CHECK(symbols.find_head("one-more") == kNoId);
  symbols.leaf("leaves-go-on");
}

}  // namespace
}  // namespace flipsat::egraph
