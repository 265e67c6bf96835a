#include "egraph/io/print.h"

#include "egraph/io/text.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

struct Printing {
  ClassId add(std::string_view text) {
    return add_term(graph, read_term(text, "<term>", symbols), symbols);
  }
  std::string print(ClassId cls, uint64_t max_nodes = 100) {
    graph.rebuild();
    const Extraction best = extract_tree(graph, [](NodeId) { return Cost{1}; });
    return term_text(graph, best, cls, names_of(graph, symbols), max_nodes);
  }
  Symbols symbols;
  EGraph graph;
};

TEST_CASE_METHOD(Printing, "print: nodes show their children's classes") {
  const ClassId sum = add("(+ x (neg x))");
  CHECK(to_string(graph, sum, names_of(graph, symbols)) == "(+ #0 #1)");
  CHECK(to_string(graph, 0, names_of(graph, symbols)) == "x");
}

TEST_CASE_METHOD(Printing, "print: terms are written out where they are small") {
  CHECK(print(add("(+ (* x x) (* x x))")) == "(+ (* x x) (* x x))");
  CHECK(print(add("x")) == "x");
}

TEST_CASE_METHOD(Printing, "print: shared nodes are lines where the term would be large") {
  const ClassId sum = add("(+ (* (f x) (f x)) (* (f x) (f x)))");
  CHECK(print(sum, 11) == "(+ (* (f x) (f x)) (* (f x) (f x)))");
  CHECK(print(sum, 10) == "let $1 = (f x)\nlet $2 = (* $1 $1)\n(+ $2 $2)");
}

TEST_CASE_METHOD(Printing, "print: a term that would have 2^100000 nodes takes 100,000 lines") {
  ClassId cls = add("x");
  const OperatorId twice = symbols.intern(graph, symbols.head("+"));
  for (int i = 0; i < 100'000; ++i) cls = graph.add(twice, {cls, cls});
  const std::string text = print(cls);
  CHECK(std::ranges::count(text, '\n') == 99'999);
  CHECK(text.ends_with("(+ $99999 $99999)"));
}

TEST_CASE_METHOD(Printing, "print: a term 1,000,000 deep") {
  ClassId cls = add("x");
  const OperatorId neg = symbols.intern(graph, symbols.head("neg"));
  for (int i = 0; i < 1'000'000; ++i) cls = graph.add(neg, {cls});
  CHECK(print(cls).size() == 6'000'001);
}

TEST_CASE("print: names that text would take apart stand in quotes") {
  CHECK(printed_name("a-b") == "a-b");
  CHECK(printed_name("a b") == "\"a b\"");
  CHECK(printed_name("a\nb") == "\"a b\"");
  CHECK(printed_name("f(\"x\\\")") == "\"f(\\\"x\\\\\\\")\"");
  CHECK(printed_name("") == "\"\"");
}

}  // namespace
}  // namespace flipsat::egraph
