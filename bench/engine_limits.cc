// By how much a run passes its time limit: engine_limits [MILLISECONDS...]
//
// Five runs that would not end, each busy in another part of the engine, are stopped after 10 to
// 500 ms. Each line has the limit and what the whole run took beyond it, the last rebuild included;
// the worst is to stay below 20 ms on a machine that does nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "egraph/runner.h"

namespace {

using namespace flipsat::egraph;

enum : Kind { kLeaf, kPair, kTop, kNext, kAdd, kMul };
const ClassVar x{"x"}, y{"y"}, z{"z"}, w{"w"}, u{"u"}, v{"v"};

// Adds to any class that it sees: `rebuild` alone would go on for ever.
struct Nothing {};
class Endless : public AnalysisOf<Nothing> {
 public:
  Nothing make(const EGraph&, NodeId) const override { return {}; }
  MergeResult merge(Nothing&, const Nothing&) const override { return {}; }
  void modify(EGraph& graph, ClassId cls) override { graph.add(graph.intern(kNext), {cls}); }
};

struct Case {
  const char* name;
  std::function<RunReport(const RunOptions&)> run;
};

// Products of sums: grows in all parts at once.
RunReport everything(const RunOptions& options) {
  EGraph graph;
  const OperatorId add = graph.intern(kAdd), mul = graph.intern(kMul);
  ClassId sum = graph.add(graph.intern(kLeaf, UINT32_MAX));
  for (uint32_t i = 0; i < 40; ++i) {
    const ClassId leaf = graph.add(graph.intern(kLeaf, i));
    sum = i % 5 == 4 ? graph.add(mul, {sum, leaf}) : graph.add(add, {sum, leaf});
  }
  RuleSet rules;
  rules.add(Rule("comm", node(kAdd, {x, y})).to(exact(add, {y, x})));
  rules.add(
      Rule("assoc", node(kAdd, {x, node(kAdd, {y, z})})).to(exact(add, {exact(add, {x, y}), z})));
  rules.add(Rule("comm-mul", node(kMul, {x, y})).to(exact(mul, {y, x})));
  rules.add(Rule("distribute", node(kMul, {x, node(kAdd, {y, z})}))
                .to(exact(add, {exact(mul, {x, y}), exact(mul, {x, z})})));
  return run(graph, rules, options);
}

// One search with as many matches as there are triples of pairs.
RunReport search(const RunOptions& options, bool is_refused) {
  EGraph graph;
  const ClassId last = graph.add(graph.intern(kLeaf, UINT32_MAX));
  const OperatorId pair = graph.intern(kPair);
  const ClassId all = graph.add(pair, {last, last});
  for (uint32_t i = 0; i < 3000; ++i) {
    graph.add_to(all, pair, std::vector<ClassId>{graph.add(graph.intern(kLeaf, i)), last});
  }
  graph.add(graph.intern(kTop), {all, all, all});
  RuleSet rules;
  Rule rule("pairs", node(kTop, {node(kPair, {x, y}), node(kPair, {z, w}), node(kPair, {u, v})}));
  if (is_refused) rule.where([](const Match&) { return refuse("never"); });
  rules.add(std::move(rule).to(x));
  return run(graph, rules, options);
}

// Long chains, added in C++.
RunReport apply(const RunOptions& options) {
  EGraph graph;
  const OperatorId next = graph.intern(kNext);
  for (uint32_t i = 0; i < 100'000; ++i)
    graph.add(graph.intern(kPair), {graph.add(graph.intern(kLeaf, i)), 0});
  RuleSet rules;
  rules.add(Rule("chain", node(kPair, {x, y})).then([next](EGraph& to, const Match& match) {
    ClassId end = match[x];
    for (uint32_t i = 0; i < 100; ++i) end = to.add(next, {end});
    return Outcome(end);
  }));
  return run(graph, rules, options);
}

RunReport modify(const RunOptions& options) {
  EGraph graph(std::make_unique<Endless>());
  graph.add(graph.intern(kLeaf));
  return run(graph, {}, options);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> limits = {10, 20, 50, 100, 200, 500};
  if (argc > 1) limits.clear();
  for (int i = 1; i < argc; ++i) limits.push_back(std::atoi(argv[i]));
  const Case cases[] = {
      {"everything", everything},
      {"search", [](const RunOptions& options) { return search(options, false); }},
      {"refusals", [](const RunOptions& options) { return search(options, true); }},
      {"apply", apply},
      {"modify", modify}};
  double worst = 0;
  for (const Case& one : cases) {
    for (const int limit : limits) {
      RunOptions options;
      options.limits.nodes = options.limits.iterations = Limits::kNone;
      options.limits.seconds = limit / 1000.0;
      const RunReport report = one.run(options);
      const double over = 1000 * report.seconds - limit;
      worst = std::max(worst, over);
      fmt::print("{:12} {:5} ms {:8.2f} ms over; {}\n", one.name, limit, over,
                 to_string(report.stop));
    }
  }
  fmt::print("worst: {:.2f} ms\n", worst);
  return 0;
}
