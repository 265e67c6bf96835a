#!/usr/bin/env python3
"""optimize, verify, stats and rules say what the commands say."""

import dataclasses
import json
import re
import unittest

import case
import flipsat


def without_times(report):
    return {key: value for key, value in report.items() if key != "elapsed_ms"}


class OptimizeTest(case.PackageTest):
    def command(self, path, *options):
        """Module, report and table of the program."""
        table = self.binary("optimize", path, "-o", "out.hlo", "--report", "out.json", "--report", "out.html", *options)
        return ((self.folder / "out.hlo").read_text(), json.loads((self.folder / "out.json").read_text()), table)

    def test_examples(self):
        for example in case.EXAMPLES:
            text, report, table = self.command(example)
            result = flipsat.optimize(flipsat.Module.read(example))
            self.assertEqual(result.module.to_text(), text)
            self.assertEqual(without_times(result.report), without_times(report))
            self.assertEqual(result.table(), table)
            self.assertEqual(result.headline, table.splitlines()[0])
            self.assertEqual(result.to_html(), (self.folder / "out.html").read_text())

    def test_options_mean_what_they_mean_to_the_command(self):
        asked = [
            (dict(numerics="reassoc", objective="launches"), ["--numerics", "reassoc", "--objective", "launches"]),
            (dict(bitwise=True, machine="h100", combiner="xla-gpu"),
             ["--bitwise", "--machine", "h100", "--combiner", "xla-gpu"]),
            (dict(disable=["gather-convert", "reduce-own-shard"]), ["--disable", "gather-convert,reduce-own-shard"]),
            (dict(only=("gather-convert",), min_gain=1.5), ["--only", "gather-convert", "--min-gain", "1.5"]),
            (dict(greedy_seed=False, effort=2, node_limit=5000),
             ["--no-greedy-seed", "--effort", "2", "--node-limit", "5000"]),
            (dict(alternatives=2, emit_combined=True), ["--alternatives", "2", "--emit-combined"]),
            (dict(assume_finite=True, max_peak_growth=10, verify="off"),
             ["--assume-finite", "--max-peak-growth", "10", "--verify", "off"]),
            (dict(beat_orders=True, hoist=True), ["--beat-orders", "--hoist"]),
        ]
        example = case.ROOT / "examples" / "fsdp_layer.hlo"
        module = flipsat.Module.read(example)
        for given, words in asked:
            text, report, _ = self.command(example, *words)
            for result in (flipsat.optimize(module, **given), flipsat.optimize(module, flipsat.Options(**given))):
                self.assertEqual(result.module.to_text(), text, words)
                self.assertEqual(without_times(result.report), without_times(report), words)

    def test_every_option_of_the_command_is_there(self):
        def names(command, leave_out):
            found = re.findall(r"^ +(?:-\w,)?--([a-z-]+)", self.binary(command, "--help"), re.M)
            self.assertIn("help", found)
            return {name.replace("-", "_") for name in found} - {"help"} - files - leave_out

        def fields(kind, renamed):
            return {renamed.get(field.name, field.name) for field in dataclasses.fields(kind)}

        files = {"stage", "module", "output", "report", "json", "write_pairs"}
        others = {"diff", "quiet", "verbose", "vary", "threads", "memory"}  # those two are of processes
        self.assertEqual(fields(flipsat.Options, {"greedy_seed": "no_greedy_seed"}), names("optimize", others))
        self.assertEqual(fields(flipsat.VerifyOptions, {"how": "with", "level": "verify"}),
                         names("verify", set()))
        self.assertEqual(fields(flipsat.CostOptions, {}), names("stats", set()))

    def test_defaults_are_those_of_the_command(self):
        told = dict(re.findall(r"^ +--([a-z-]+) \S*=([a-z0-9]\S*)", self.binary("optimize", "--help"), re.M))
        self.assertEqual(told, {name: str(getattr(flipsat.Options(), name.replace("-", "_"))) for name in told})
        self.assertEqual(len(told), 7)

    def test_typed_results(self):
        module = flipsat.Module.read(case.ROOT / "examples" / "fsdp_layer.hlo")
        result = flipsat.optimize(module)
        report = result.report
        for name in ("input", "greedy", "output"):
            self.assertEqual(json.loads(json.dumps(dataclasses.asdict(getattr(result, name)))),
                             report["programs"][name])
        self.assertEqual(dataclasses.asdict(result.bound), report["bound"])
        self.assertEqual((result.gap, result.origin, result.deterministic), (report["gap"], "egraph", True))
        self.assertEqual([dataclasses.asdict(rule) for rule in result.rules], report["rules"])
        self.assertEqual({name: dataclasses.asdict(looser) for name, looser in result.headroom.items()},
                         report["headroom"])
        self.assertEqual(result.verified.elements, report["verified"]["elements"])
        self.assertEqual(len(result.changes), len(report["changes"]))
        first, record = result.changes[0], report["changes"][0]
        self.assertEqual((first.at, list(first.replaced), list(first.by), list(first.wire_bytes), list(first.time_us)),
                         (record["at"], record["from"], record["to"], record["bytes"], record["time_us"]))
        report["programs"].clear()  # a copy: the result stays as it is
        self.assertEqual(result.report["programs"].keys(), {"input", "greedy", "output"})

    def test_nothing_to_gain(self):
        module = flipsat.Module.parse(case.NOTHING)
        result = flipsat.optimize(module)
        self.assertIs(result.module, module)
        self.assertFalse(result.changed)
        self.assertEqual(result.changes, ())

    def test_result_of_a_result(self):
        """The same as by way of a file, for text and for protos."""
        for ending in ("hlo", "pb"):
            source = self.folder / f"m.{ending}"
            flipsat.Module.read(case.ROOT / "examples" / "fsdp_layer.hlo").write(source)
            once = flipsat.optimize(flipsat.Module.read(source), only=["gather-convert"]).module
            twice = flipsat.optimize(once)
            self.assertTrue(twice.changed)
            self.binary("optimize", source, "-o", f"1.{ending}", "--only", "gather-convert")
            self.binary("optimize", f"1.{ending}", "-o", f"2.{ending}")
            flipsat.Module.write(twice.module, f"{self.folder}/py.{ending}")
            self.assertEqual((self.folder / f"py.{ending}").read_bytes(),
                             (self.folder / f"2.{ending}").read_bytes())

    def test_mistakes(self):
        module = flipsat.Module.parse(case.GAINS)
        for given, words in [(dict(numerics="exakt"), "no class 'exakt'"), (dict(disable=["gather-convrt"]), "did you mean"),
                             (dict(effort=0), "--effort"), (dict(machine="trn9"), "--machine"),
                             (dict(solver="simplex"), "no solver"), (dict(alternatives=1000), "--alternatives"),
                             (dict(min_gain=float("nan")), "--min-gain"), (dict(only="gather-convert"), "several names"),
                             (dict(beat_orders=True, greedy_seed=False), "excludes")]:
            with self.assertRaisesRegex(flipsat.UsageError, words):
                flipsat.optimize(module, **given)
        with self.assertRaisesRegex(TypeError, "no option 'numeric'"):
            flipsat.optimize(module, numeric="exact")
        machine = self.write("machine.json", '{\n  "name": 1\n}')
        with self.assertRaises(flipsat.InputError) as caught:
            flipsat.optimize(module, machine=machine)
        self.assertEqual(caught.exception.file, str(machine))
        rules = self.write("my.rules", "rule broken\n  x == \n")
        with self.assertRaises(flipsat.InputError) as caught:
            flipsat.optimize(module, rules=rules)
        self.assertEqual(caught.exception.file, str(rules))
        self.assertGreater(caught.exception.line, 0)

    def test_malformed_module(self):
        """Read, and then found not to be well formed, with the place."""
        text = case.GAINS.replace("ROOT half = bf16[256,256]", "ROOT half = bf16[256,255]")
        with self.assertRaises(flipsat.InputError) as caught:
            flipsat.optimize(flipsat.Module.parse(text, "m.hlo"))
        self.assertEqual((caught.exception.file, caught.exception.line), ("m.hlo", 6))

    def test_html(self):
        text = case.GAINS.replace(
            "convert(full)", 'convert(full), metadata={op_name="<script>alert(1)</script>" source_file="<b>.py" source_line=3}')
        result = flipsat.optimize(flipsat.Module.parse(text, name="<script>.hlo"))
        page = result._repr_html_()
        self.assertTrue(result.changed)
        self.assertNotIn("<script", page)
        self.assertNotIn("<b>.py", page)
        self.assertIn("&lt;script&gt;alert(1)&lt;/script&gt;", page)
        self.assertIn("&lt;script&gt;.hlo", page)
        self.assertIn("gather-convert", page)


class VerifyTest(case.PackageTest):
    def answers(self, before, after, *words, **given):
        """Ours, beside the program's report."""
        one, other = self.write("a.hlo", before), self.write("b.hlo", after)
        self.run_words(case.BINARY, "verify", one, other, "--json", "v.json", *words)
        answer = flipsat.verify(flipsat.Module.read(one), flipsat.Module.read(other), **given)
        self.assertEqual(answer.report, json.loads((self.folder / "v.json").read_text()))
        return answer

    def test_same(self):
        answer = self.answers(case.GAINS, flipsat.optimize(flipsat.Module.parse(case.GAINS)).module.to_text())
        self.assertIs(answer.same, True)
        self.assertEqual((answer.differences, answer.numerics), ((), "exact"))

    def test_different(self):
        answer = self.answers(case.NOTHING.replace("/* kept */", ""),
                              case.NOTHING.replace("{{0,1,2,3}}", "{{3,2,1,0}}"), how="symbolic",
                              *["--with", "symbolic"])
        self.assertIs(answer.same, False)
        self.assertEqual(answer.differences[0].at, "%full")
        self.assertEqual(answer.text.splitlines()[0], "the modules differ")

    def test_other_shapes(self):
        answer = self.answers(case.GAINS, case.NOTHING)
        self.assertEqual((answer.same, answer.same_signature), (False, False))

    def test_not_checked(self):
        calls = [case.GAINS.replace("convert(full)", f'custom-call(full), custom_call_target="{name}"')
                 for name in "xy"]
        answer = self.answers(*calls)
        self.assertIs(answer.same, None)
        self.assertEqual(answer.not_checked[0].at, "%half")

    def test_numerics_and_mistakes(self):
        module = flipsat.Module.parse(case.GAINS)
        with self.assertRaises(flipsat.UsageError):
            flipsat.verify(module, module, how="magic")
        with self.assertRaises(TypeError):
            flipsat.verify(module, module, solver="highs")
        answer = self.answers(case.GAINS, case.GAINS, "--numerics", "reassoc", "--verify", "full",
                              numerics="reassoc", level="full")
        self.assertEqual(answer.numerics, "reassoc")


class ListsTest(case.PackageTest):
    def test_stats(self):
        example = case.EXAMPLES[0]
        text = self.binary("stats", example, "--machine", "h100")
        self.binary("stats", example, "--machine", "h100", "--json", "s.json")
        stats = flipsat.stats(flipsat.Module.read(example), machine="h100")
        self.assertEqual(str(stats), text)
        self.assertEqual([stats.report], json.loads((self.folder / "s.json").read_text())["records"])

    def test_rules(self):
        self.binary("rules", "--json", "r.json")
        expected = json.loads((self.folder / "r.json").read_text())["rules"]
        self.assertEqual([dataclasses.asdict(rule) for rule in flipsat.rules()], expected)
        with self.assertRaises(flipsat.InputError):
            flipsat.rules(self.write("my.rules", "rule broken\n  x == \n"))


if __name__ == "__main__":
    unittest.main()
