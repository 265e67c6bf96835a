#!/usr/bin/env python3
"""orders and compare say what the commands say, as rows of plain values."""

import dataclasses
import json
import re
import unittest

import case
import flipsat

EXAMPLE = case.ROOT / "examples" / "stacked_layers.hlo"


class OrdersTest(case.PackageTest):
    def command(self, command, *arguments):
        text = self.binary(command, *arguments, "--json", "out.json")
        return json.loads((self.folder / "out.json").read_text()), text

    def check_rows(self, rows):
        """All of the same fields, with plain values: what makes a data frame."""
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(list(row), list(rows[0]))
            for value in row.values():
                self.assertIsInstance(value, (str, int, float, type(None)))

    def test_one_module(self):
        report, text = self.command("orders", EXAMPLE)
        found = flipsat.orders(flipsat.Module.read(EXAMPLE))
        self.assertEqual(found.report, report)
        self.assertEqual(found.text, text)
        self.assertEqual([row["orders"] for row in found.programs],
                         [result["count"] for result in report["results"]])
        self.assertEqual(len(found.orders), 720)
        self.assertEqual(len({row["order"] for row in found.orders}), 720)
        self.assertEqual(sum(row["changed"] for row in found.swaps),
                         sum(swap["changed"] for swap in report["swaps"]))
        for rows in (found.programs, found.orders, found.swaps):
            self.check_rows(rows)
        self.assertEqual(found.regrets, [])

    def test_several_modules(self):
        report, _ = self.command("orders", *case.EXAMPLES)
        found = flipsat.orders([flipsat.Module.read(example) for example in case.EXAMPLES])
        self.assertEqual(found.report, report)
        self.assertEqual(len(found.regrets), 720)
        self.assertEqual(found.regrets[0]["order"], " ".join(report["learning"]["best_order"]))
        self.check_rows(found.regrets)
        self.binary("orders", *case.EXAMPLES, "--html", "out.html")
        names = re.compile(r">[^<]*\.hlo")  # the command shows names below their folder
        self.assertEqual(names.sub("", found.page), names.sub("", (self.folder / "out.html").read_text()))

    def test_options(self):
        names = ["all_gather_convert", "all_gather_reshape*"]
        report, _ = self.command("orders", EXAMPLE, "--mode", "literal", "--passes", ",".join(names),
                                 "--sweeps", "fix-point", "--objective", "bytes")
        module = flipsat.Module.read(EXAMPLE)
        found = flipsat.orders(module, mode="literal", passes=names, sweeps="fix-point", objective="bytes")
        self.assertEqual(found.report, report)
        with self.assertRaises(flipsat.UsageError):
            flipsat.orders(module, passes=["all_gather_convrt"])
        with self.assertRaises(flipsat.UsageError):
            flipsat.orders(module, passes="all_gather_convert")
        listed = {name.replace("-", "_") for name in re.findall(r"--([a-z-]+)", self.binary("orders", "--help"))}
        fields = {field.name for field in dataclasses.fields(flipsat.OrdersOptions)}
        others = {"help", "json", "csv", "html", "quiet", "verbose", "threads", "memory", "stage", "module", "xla"}
        self.assertEqual(fields - {"greedy_seed"} | {"no_greedy_seed"}, listed - others)

    def test_compare(self):
        report, _ = self.command("compare", *case.EXAMPLES)
        rows = flipsat.compare([flipsat.Module.read(example) for example in case.EXAMPLES])
        self.check_rows(rows)
        expected = [(record["input"], name, program["time_us"], program["executed"]["launches"], record["bound"]["value"])
                    for record in report["records"] for name, program in record["programs"].items()]
        self.assertEqual([(row["input"], row["program"], row["time_us"], row["executed_launches"], row["bound"])
                          for row in rows], expected)


if __name__ == "__main__":
    unittest.main()
