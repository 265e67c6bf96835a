#!/usr/bin/env python3
"""The engine from Python."""

import unittest

import case
import flipsat
from flipsat.egraph import EGraph, Limits, Step

ARITHMETIC = """
comm: (* ?a ?b) => (* ?b ?a)
zero: (+ ?a 0) => ?a
one:  (* ?a 1) => ?a
twice: (+ ?a ?a) <=> (* 2 ?a)
"""


class EGraphTest(case.PackageTest):
    def test_run_and_extract(self):
        graph = EGraph(ARITHMETIC)
        graph.add("(+ (* 1 x) 0)")
        run = graph.run()
        self.assertTrue(run.saturated)
        self.assertEqual((run.stop, run.stopped_by), ("saturated", "saturated"))
        self.assertEqual((run.nodes, run.classes), (graph.node_count, graph.class_count))
        self.assertEqual({rule.name: rule.unions for rule in run.rules},
                         {"comm": 0, "zero": 1, "one": 1, "twice": 0, "twice-rev": 0} | {"comm": run.rules[0].unions})
        self.assertEqual(graph.extract("(+ (* 1 x) 0)").term, "x")

    def test_costs(self):
        graph = EGraph(ARITHMETIC)
        graph.add("(* 2 y)")
        graph.run()
        self.assertEqual(graph.extract("(* 2 y)", {"*": 10}).term, "(+ y y)")
        self.assertEqual(graph.extract("(* 2 y)", {"+": 10}).term, "(* 2 y)")
        self.assertEqual(graph.extract("(* 2 y)", {"*": None}).term, "(+ y y)")
        self.assertEqual(graph.extract("(* 2 y)", {"*": None}, default_cost=3).cost, 6)  # y is one node
        with self.assertRaisesRegex(flipsat.UsageError, "never chosen"):
            graph.extract("(* 2 y)", {"y": None})
        for costs in ({"*": -1}, {"*": 2**64}):
            with self.assertRaisesRegex(flipsat.UsageError, "cost of"):
                graph.extract("(* 2 y)", costs)

    def test_methods(self):
        graph = EGraph("""
        split: (f ?a) => (g (big ?a) (big ?a))
        twins: (f ?a) => (h ?a (small ?a))
        """)
        graph.add("(f x)")
        graph.run()
        costs = {"big": 5, "small": 6, "f": None, "g": 1, "h": 1}
        self.assertEqual(graph.extract("(f x)", costs).term, "(h x (small x))")  # big would count twice
        for method in ("greedy-dag", "local", "exact"):
            self.assertEqual(graph.extract("(f x)", costs, method=method).term, "(g (big x) (big x))", method)
        exact = graph.extract("(f x)", costs, method="exact")
        self.assertEqual((exact.cost, exact.bound), (7, 7))
        self.assertIsNone(graph.extract("(f x)", costs).bound)
        with self.assertRaises(flipsat.UsageError):
            graph.extract("(f x)", method="magic")

    def test_equal(self):
        graph = EGraph(ARITHMETIC)
        for term in ("(+ x x)", "(* 3 x)"):
            graph.add(term)
        graph.run()
        self.assertTrue(graph.equal("(+ x x)", "(* x 2)"))
        self.assertFalse(graph.equal("(+ x x)", "(* 3 x)"))
        with self.assertRaisesRegex(flipsat.UsageError, r"not in the e-graph: \(\+ y y\)"):
            graph.equal("(+ y y)", "x")

    def test_unite(self):
        graph = EGraph(explanations=True)
        graph.unite("x", "y")
        graph.add("(f x)")
        graph.add("(f y)")
        self.assertTrue(graph.equal("(f x)", "(f y)"))
        self.assertEqual(graph.explain("(f x)", "(f y)").steps, (Step("(f y)", "given", False),))

    def test_explain(self):
        graph = EGraph(ARITHMETIC, explanations=True)
        graph.add("(+ (* 1 x) 0)")
        graph.run()
        why = graph.explain("(+ (* 1 x) 0)", "x")
        self.assertEqual(why.steps[-1].term, "x")
        self.assertEqual({step.rule for step in why.steps}, {"comm", "zero", "one"})
        self.assertTrue(str(why).startswith("(+ (* 1 x) 0)\n= "))
        self.assertTrue(any(step.is_reversed for step in graph.explain("x", "(+ (* 1 x) 0)").steps))
        self.assertEqual(graph.explain("x", "x").steps, ())
        with self.assertRaisesRegex(flipsat.UsageError, "not found to be equal"):
            graph.explain("x", "0")
        with self.assertRaisesRegex(flipsat.UsageError, "explanations=True"):
            EGraph().explain("x", "x")

    def test_rules_that_come_later(self):
        """Explanations of what earlier rules did still name those."""
        graph = EGraph("zero: (+ ?a 0) => ?a", explanations=True)
        graph.add("(* (+ x 0) 1)")
        self.assertTrue(graph.run().saturated)
        graph.add_rules("one: (* ?a 1) => ?a")
        self.assertEqual(graph.rules, {"zero": "(+ ?a 0) => ?a", "one": "(* ?a 1) => ?a"})
        graph.run()
        self.assertEqual([step.rule for step in graph.explain("(* (+ x 0) 1)", "x").steps], ["zero", "one"])

    def test_limits(self):
        endless = "grow: (f ?a) => (f (g ?a))"
        for limit in ("iterations", "nodes", "matches"):
            graph = EGraph(endless)
            graph.add("(f x)")
            run = graph.run(**{limit: 7})
            self.assertEqual(run.stopped_by, limit)
            self.assertFalse(run.saturated)
            self.assertIn("7", run.stop)
        graph = EGraph(endless)
        graph.add("(f x)")
        self.assertEqual(graph.run(Limits(iterations=3)).iterations, 3)
        self.assertEqual(graph.run(Limits(iterations=3), nodes=4).stopped_by, "nodes")
        self.assertEqual(graph.run(seconds=0).stopped_by, "seconds")
        self.assertEqual(graph.run(scheduler="backoff", iterations=2).iterations, 2)
        for wrong in (dict(nodes=-1), dict(matches=-1), dict(bytes=-1), dict(seconds=float("nan")), dict(scheduler="magic")):
            with self.assertRaises(flipsat.UsageError):
                graph.run(**wrong)
        with self.assertRaises(TypeError):
            graph.run(node=1)

    def test_same_again(self):
        def run():
            graph = EGraph("assoc: (+ (+ ?a ?b) ?c) => (+ ?a (+ ?b ?c))\ncomm: (+ ?a ?b) => (+ ?b ?a)")
            graph.add("(+ (+ (+ a b) c) (+ d e))")
            return graph.run(nodes=300), graph.to_graphviz()

        self.assertEqual(run(), run())

    def test_errors_have_a_place(self):
        graph = EGraph()
        with self.assertRaises(flipsat.InputError) as caught:
            graph.add_rules("ok: (f ?a) => ?a\nbad: (f ?a) => ?b\n", file="my.rules")
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column), ("my.rules", 2, 16))
        self.assertEqual(graph.rules, {})  # none of a text that is wrong
        for call in (graph.add, lambda term: graph.equal(term, term), graph.extract):
            with self.assertRaises(flipsat.InputError) as caught:
                call("(f x")
            self.assertEqual((caught.exception.file, caught.exception.line), ("<term>", 1))

    def test_repr_and_picture(self):
        graph = EGraph()
        graph.add("(f x x)")
        self.assertEqual(repr(graph), "<flipsat.egraph.EGraph: 2 nodes in 2 classes>")
        self.assertTrue(graph.to_graphviz().startswith("digraph"))


if __name__ == "__main__":
    unittest.main()
