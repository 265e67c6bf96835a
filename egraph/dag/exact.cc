#include "egraph/dag/exact.h"
#include "egraph/dag/part.h"
#include "egraph/dag/reduce.h"
#include "egraph/dag/eliminate.h"
#include "egraph/dag/greedy.h"
#include <cstdio>
#include <chrono>
namespace flipsat::egraph::dag {
static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
Solution solve(const Problem& problem, uint64_t most_work) {
  Solution s;
  double t0 = now();
  Reduced r = reduce(problem, s.work);
  fprintf(stderr, "reduce %u/%u classes %u/%u nodes  paid %lu  %.3f s\n", problem.class_count(), r.problem.class_count(), problem.node_count(), r.problem.node_count(), r.paid, now() - t0);
  auto parts = split(r.problem);
  fprintf(stderr, "parts %zu\n", parts.size());
  Selection whole(r.problem.class_count(), kNoId);
  s.bound = r.paid;
  for (auto& part : parts) {
    t0 = now();
    Components c(part.problem);
    auto e = eliminate(part.problem, most_work, s.work);
    Number big = 0; for (auto x : c.sizes) big = std::max(big, x);
    Selection sel;
    if (e) { sel = e->selection; s.bound += e->cost; std::vector<bool> set(part.problem.node_count()); for (auto n : sel) if (n != kNoId) set[n] = true; sel = build_from(part.problem, set);}
    if (!e || !cost_of(part.problem, sel)) sel = choose_greedily(part.problem, c, Trees(part.problem, c));
    Cost v = *cost_of(part.problem, sel);
    if (part.problem.node_count() > 200 || !e || e->cost != v) fprintf(stderr, "part %u classes %u nodes scc %u: elim %s %ld choice %lu  %.3f s\n", part.problem.class_count(), part.problem.node_count(), big, e ? "yes" : "no", e ? (long)e->cost : -1, v, now() - t0);
    part.lift(sel, whole);
  }
  Selection sel(problem.class_count(), kNoId);
  r.lift(whole, problem, sel);
  std::vector<bool> set(problem.node_count());
  for (auto n : sel) if (n != kNoId) set[n] = true;
  s.selection = build_from(problem, set);
  auto c = cost_of(problem, s.selection);
  s.cost = c ? *c : 0;
  fprintf(stderr, "cost %ld bound %lu\n", c ? (long)*c : -1, s.bound);
  return s;
}
}
