#include "egraph/io/text.h"

#include "egraph/runner.h"
#include "tests/catch.h"

namespace flipsat::egraph {
namespace {

struct Reading {
  // The error of reading rules; empty where there is none.
  std::string rules_error(std::string_view text) {
    return error([&] { read_rules(text, "r", symbols); });
  }
  std::string term_error(std::string_view text) {
    return error([&] { read_term(text, "t", symbols); });
  }
  template <class Read>
  std::string error(Read&& read) {
    symbols = Symbols();
    try {
      read();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  // The rule as it is printed.
  std::string rule(std::string_view text) {
    const std::vector<TextRule> rules = read_rules(text, "r", symbols);
    REQUIRE(rules.size() == 1);
    return rules[0].name + ": " + to_string(rules[0], symbols);
  }
  Symbols symbols;
};

TEST_CASE_METHOD(Reading, "text: rules print as they are read") {
  for (const char* text : {
           "comm: (+ ?a ?b) => (+ ?b ?a)",
           "leaf: (+ ?a 0) => ?a",
           "grow: ?a => (+ ?a 0)",
           "pair: (fst ?p ?x), (snd ?p ?y) => (pair ?x ?y)",
           "odd-names: (=> a,b ?:) => (<=> ?: ?:)",
       }) {
    CHECK(rule(text) == text);
  }
}

TEST_CASE_METHOD(Reading, "text: blanks, comments and open parentheses") {
  CHECK(rule("# first\n\n ; second\r\n\t a :(f ?x)=> ?x # third") == "a: (f ?x) => ?x");
  CHECK(rule("a: (f ; to be continued\n\n ?x) => (g\n?x\n) ; end\n") == "a: (f ?x) => (g ?x)");
  CHECK(rule("a: (c#1 x;y) => b") == "a: (c#1 x;y) => b");
  CHECK(rule("b: (only) => c") == "b: only => c");
  CHECK(read_rules("", "r", symbols).empty());
  CHECK(read_rules("# nothing", "r", symbols).empty());
}

TEST_CASE_METHOD(Reading, "text: both directions are two rules") {
  const auto rules = read_rules("d: (+ ?a ?a) <=> (* 2 ?a)\ne: x => y", "r", symbols);
  REQUIRE(rules.size() == 3);
  CHECK(rules[0].name == "d");
  CHECK(to_string(rules[0], symbols) == "(+ ?a ?a) => (* 2 ?a)");
  CHECK(rules[1].name == "d-rev");
  CHECK(to_string(rules[1], symbols) == "(* 2 ?a) => (+ ?a ?a)");
  CHECK(rules[2].name == "e");
}

TEST_CASE_METHOD(Reading, "text: what is wrong with a rule, and where") {
  CHECK(rules_error("a: (f ?x) => (g ?y)") == "r:1:17: error: '?y' does not stand on the left");
  CHECK(rules_error("a: (f ?x ?y) <=> (g ?x)") ==
        "r:1:10: error: '?y' does not stand on the right");
  CHECK(rules_error("\n a: (f (g ?x) => ?x\nb: x => y\n") ==
        "r:2:5: error: this parenthesis is never closed");
  CHECK(rules_error("a: (f ?x)) => ?x") == "r:1:10: error: '=>' must stand here");
  CHECK(rules_error("a: ) => x") == "r:1:4: error: no parenthesis is open that this could close");
  CHECK(rules_error("a: => x") == "r:1:4: error: a term must stand here");
  CHECK(rules_error("a: x =>\nb: x => y") == "r:1:8: error: a term must stand here");
  CHECK(rules_error("a: x => # y") == "r:1:9: error: a term must stand here");
  CHECK(rules_error("a: (f ?x), => x") == "r:1:12: error: a term must stand here");
  CHECK(rules_error("a: () => x") == "r:1:5: error: a name must stand after '('");
  CHECK(rules_error("a: ((f)) => x") == "r:1:5: error: a name must stand after '('");
  CHECK(rules_error("a: (?f x) => x") == "r:1:5: error: a variable cannot be a head");
  CHECK(rules_error("a: (f ?) => x") == "r:1:7: error: a variable needs a name");
  CHECK(rules_error("a: (f x)") == "r:1:9: error: '=>' must stand here");
  CHECK(rules_error("a: x => y z") == "r:1:11: error: the rule must end here");
  CHECK(rules_error("a x => y") == "r:1:3: error: ':' must stand after the rule's name");
  CHECK(rules_error(": x => y") == "r:1:1: error: a rule's name must stand here");
  CHECK(rules_error("a: x => y\na: y => x") == "r:2:1: error: a second rule named 'a'");
  CHECK(rules_error("a-rev: x => y\na: y <=> x") == "r:2:1: error: a second rule named 'a-rev'");
}

TEST_CASE_METHOD(Reading, "text: patterns must hang together") {
  CHECK(rules_error("a: (f ?x), (g ?y) => x") ==
        "r:1:12: error: this pattern shares no variable with the others");
  CHECK(rules_error("a: (f ?x), (g ?y), (h ?x ?y) => x").empty());
  CHECK(rules_error("a: (f ?x), ?x => x") ==
        "r:1:12: error: a variable alone beside another pattern");
  CHECK(rules_error("a: (f ?x), (g ?x) <=> (h ?x)") ==
        "r:1:19: error: '<=>' stands after one pattern only");
}

TEST_CASE_METHOD(Reading, "text: a head keeps its number of children") {
  CHECK(rules_error("a: (f ?x) => x\nb: (f ?x ?y) => x") ==
        "r:2:4: error: 'f' has 1 child, here it has 2 children");
  CHECK(rules_error("a: (f ?x) => f") == "r:1:14: error: 'f' has 1 child, here it has none");
  CHECK(rules_error("a: f => (f x)") ==
        "r:1:9: error: 'f' had no children before, here it has 1 child");
}

TEST_CASE_METHOD(Reading, "text: names of rules read before are taken") {
  const auto known = read_rules("a: x => y", "first", symbols);
  CHECK_THROWS_AS(read_rules("a: y => x", "second", symbols, known), InputError);
}

TEST_CASE_METHOD(Reading, "text: terms") {
  CHECK(to_string(read_term("; a sum\n (+ x\n (f) ) # so it is\n", "t", symbols), symbols) ==
        "(+ x f)");
  for (const char* alone : {"(a,)", "(=>)", "(<=>)"}) {
    CHECK(to_string(read_term(alone, "t", symbols), symbols) == alone);
  }
  CHECK(term_error("(+ x ?y)") == "t:1:6: error: a variable stands in a term without rules");
  CHECK(term_error("x y") == "t:1:3: error: the term must end here");
  CHECK(term_error("") == "t:1:1: error: a term must stand here");
  CHECK(term_error("(f\n  x") == "t:1:1: error: this parenthesis is never closed");
}

TEST_CASE_METHOD(Reading, "text: a million parentheses neither overflow nor crash") {
  std::string open;
  for (int i = 0; i < 1'000'000; ++i) open += "(f ";
  const std::string closed = open + "x" + std::string(1'000'000, ')');
  EGraph graph;
  const TextTerm term = read_term(closed, "t", symbols);
  CHECK((to_string(term, symbols) == closed));  // not printed where it fails
  add_term(graph, term, symbols);
  CHECK(graph.node_count() == 1'000'001);
  CHECK(term_error(open) == "t:1:2999998: error: this parenthesis is never closed");
  CHECK(rules_error("a: " + closed + " => x").find("more than 256 nodes") != std::string::npos);
  CHECK(rules_error(std::string(1'000'000, '(')) ==
        "r:1:1: error: ':' must stand after the rule's name");
}

TEST_CASE_METHOD(Reading, "text: more children than a node can have") {
  std::string children;
  for (int i = 0; i < 32'768; ++i) children += " x";
  CHECK(term_error("(f" + children + ")") == "t:1:1: error: more than 32,767 children");
  CHECK(term_error("(f" + children.substr(2) + ")").empty());
}

TEST_CASE_METHOD(Reading, "text: more heads than kinds is an error with its place") {
  std::string rules;
  for (int i = 0; i < 65'536; ++i) {
    const std::string number = std::to_string(i);
    rules += "a" + number + ": (h" + number + " x) => x\n";
  }
  CHECK(rules_error(rules) == "r:65536:9: error: more than 65,535 heads");
}

TEST_CASE_METHOD(Reading, "text: the rules that are made do what they say") {
  EGraph graph;
  const auto rules = read_rules(
      "comm: (+ ?a ?b) => (+ ?b ?a)\n"
      "zero: (+ ?a 0) => ?a\n"
      "join: (left ?p ?x), (right ?p ?y) => (pair ?x ?y)\n",
      "r", symbols);
  const auto add = [&](const char* term) {
    return add_term(graph, read_term(term, "t", symbols), symbols);
  };
  const ClassId sum = add("(+ 0 x)");
  const ClassId left = add("(left k u)");
  add("(right k v)");
  add("(right other w)");
  const RunReport report = run(graph, make_rules(rules, symbols, graph));
  CHECK(report.stop.stop == Stop::kSaturated);
  CHECK(graph.find(sum) == graph.find(add("x")));
  CHECK(graph.find(left) == graph.find(add("(pair u v)")));
  CHECK(graph.find(left) != graph.find(add("(pair u w)")));
}

}  // namespace
}  // namespace flipsat::egraph
