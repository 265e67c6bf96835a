"""`flipsat explain`: why a result is what it is, and why a rule did not fire."""

import re
import unittest

from runner import BROKEN, GAINS, INPUT, NESTED, NOTHING, ROOT, USAGE, ToolTest

FSDP = ROOT / "examples" / "fsdp_layer.hlo"

SUMS = """HloModule sums, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY main {
  x = f32[64,8] parameter(0)
  y = f32[64,8] parameter(1)
  sx = f32[64,8] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  sy = f32[64,8] all-reduce(y), channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  far = f32[64,8] custom-call(x), custom_call_target="f"
  both = f32[64,8] add(sx, sy)
  ROOT out = f32[64,8] add(both, far)
}
"""


# Of two computations, one has `s` where a rule fires.
SAME_NAME = """HloModule same, num_partitions=4

body {
  x = f32[64,8] parameter(0)
  g = f32[256,8] all-gather(x), dimensions={0}, channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  ROOT s = f32[64,8] slice(g), slice={[0:64], [0:8]}
}

ENTRY e {
  y = f32[64,8] parameter(0)
  c = f32[64,8] call(y), to_apply=body
  h = f32[256,8] all-gather(c), dimensions={0}, channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true
  ROOT s = bf16[256,8] convert(h)
}
"""


class Explain(ToolTest):
    def explain(self, module, *options, **more):
        return self.run_flipsat("explain", module, *options, **more).stdout

    def why_not(self, module, what, *options):
        return self.explain(module, "--why-not", what, *options)

    def test_each_change_is_told_with_its_rules_in_their_order(self):
        text = self.explain(self.write("m.hlo", NESTED))
        self.assertIn("1. %h in main", text)
        self.assertIn("was   %g = f32[256,96] all-gather(%x), dims={0}, groups=[1,4]", text)
        self.assertIn("now   ", text)
        terms = re.findall(r"^ {10}(?:= )?(\S.*)$", text, re.MULTILINE)
        self.assertEqual(terms[0],
                         "convert<bf16>(reshape<f32[24576]>(all-gather(%x, dims={0}, groups=[1,4])))")
        self.assertTrue(terms[-1].startswith("all-gather("), terms)
        self.assertLess(text.index("by gather-reshape: "), text.index("by gather-convert: "))
        self.assertIn("A convert looks at one element at a time", text)
        self.assertIn("Checked by a symbolic interpreter", text)

    def test_changes_alike_are_told_once(self):
        text = self.explain(FSDP)
        self.assertIn("alike 5 more: %w_k_bf16, ", text)
        self.assertEqual(text.count("by gather-convert: "), 2)
        self.assertEqual(self.explain(FSDP, "--each").count("by gather-convert: "), 7)

    def test_where_a_slice_starts_is_told_by_device(self):
        self.assertIn("%row_64 is 0, 64, 128, 192, 256, 320, 384, 448 on devices 0, 1, ...",
                      self.explain(FSDP))

    def test_a_name_in_several_computations(self):
        module = self.write("m.hlo", SAME_NAME)
        for words in [["explain", module, "--at", "s"], ["show", module, "--at", "%s"],
                      ["explain", module, "--why-not", "gather-convert@s"]]:
            self.assertIn("'%s' stands in 2 computations; say one of %s@body, %s@e",
                          self.run_flipsat(*words, status=USAGE).stderr)
        self.assertIn("1. %s in e", self.explain(module, "--at", "s@e"))
        self.assertNotIn("%s in e", self.explain(module, "--at", "%s@body"))
        self.assertIn("it fired", self.why_not(module, "gather-convert@s@e"))
        self.assertIn("%s is a slice", self.why_not(module, "gather-convert@s@body"))

    def test_nothing_to_gain(self):
        text = self.explain(self.write("m.hlo", NOTHING))
        self.assertIn("nothing to gain, proved", text)
        self.assertNotIn("1. ", text)

    def test_one_value(self):
        text = self.explain(FSDP, "--at", "%w_q_bf16")
        self.assertIn("1. %w_q_bf16", text)
        self.assertNotIn("%w_k_bf16", text)
        self.assertEqual(text, self.explain(FSDP, "--at", "w_q_bf16"))
        # What is gone for a change belongs to it.
        self.assertIn("1. %w_q_bf16", self.explain(FSDP, "--at", "w_q_full"))
        self.assertIn("is as it was", self.explain(FSDP, "--at", "%x_norm"))
        self.assertIn("did you mean 'w_q_bf16'?",
                      self.run_flipsat("explain", FSDP, "--at", "w_q_bf61", status=USAGE).stderr)

    def test_the_report_has_all_changes_and_their_steps(self):
        self.explain(FSDP, "--json", "r.json")
        report = self.read_json("r.json")
        self.assertEqual(report["schema"], 1)
        self.assertEqual(report["egraph"]["stop"], "saturated")
        self.assertEqual(len(report["changes"]), 13)
        by_name = {change["at"]: change for change in report["changes"]}
        first = by_name["%w_q_bf16"]
        self.assertEqual([step["rule"] for step in first["reason"]["steps"]], ["gather-convert"])
        self.assertTrue(first["reason"]["replayed"])
        self.assertEqual(by_name["%w_k_bf16"]["like"], "%w_q_bf16")
        self.assertIsNone(by_name["%w_k_bf16"]["reason"])
        self.assertEqual(first["bytes"], [917504, 458752])
        self.assertIn({"rule": "reduce-dynamic-slice", "reason": "a start index differs inside a group",
                       "count": 6, "at": ["%g_q_own", "%g_k_own", "%g_v_own"]}, report["refused"])

    def test_json_on_standard_output_stands_alone(self):
        self.assertTrue(self.explain(FSDP, "--json", "-").startswith("{\n"))
        self.assertTrue(self.why_not(FSDP, "gather-dot", "--json", "-").startswith("{\n"))

    def test_the_same_bytes_twice(self):
        self.assertEqual(self.explain(FSDP, "--json", "-"), self.explain(FSDP, "--json", "-"))

    def test_a_module_that_is_left_alone_says_why(self):
        scheduled = GAINS.replace("HloModule gains", "HloModule gains, is_scheduled=true")
        module = self.write("m.hlo", scheduled)
        self.assertIn("scheduled", self.explain(module))
        self.assertIn("scheduled", self.why_not(module, "gather-convert@half"))

    def test_a_stopped_search_says_so(self):
        text = self.explain(FSDP, "--node-limit", 1)
        self.assertIn("The search was stopped there (node limit 1)", text)
        self.assertNotIn("no rule had anything new", text)

    def test_bad_input(self):
        self.run_flipsat("explain", self.write("m.hlo", BROKEN), status=INPUT)

    def test_options_that_look_elsewhere(self):
        for option in ["--hoist", "--emit-combined", "--beat-orders", "--alternatives=3"]:
            done = self.run_flipsat("explain", FSDP, option, status=USAGE)
            self.assertIn("explain looks at the module's own e-graph alone", done.stderr)


class WhyNot(ToolTest):
    def why_not(self, module, what, *options):
        return self.run_flipsat("explain", module, "--why-not", what, *options).stdout

    def test_unknown_names(self):
        for what, near in [("gather-convrt", "gather-convert"), ("gather-convert@gain_bf61", "gain_bf16")]:
            done = self.run_flipsat("explain", FSDP, "--why-not", what, status=USAGE)
            self.assertIn(f"did you mean '{near}'?", done.stderr)

    def test_fired_and_chosen(self):
        self.assertIn("it fired, and what it made is in the output",
                      self.why_not(FSDP, "gather-convert@%gain_bf16"))

    def test_fired_and_not_chosen_with_what_it_would_cost(self):
        text = self.why_not(FSDP, "gather-broadcast@gain_all")
        self.assertRegex(text, r"not in the output: it would cost more, [0-9.]+ us with all that")

    def test_refused_with_the_guards_reason(self):
        self.assertIn("it matches, and is refused: the gathered dim is contracted",
                      self.why_not(FSDP, "gather-dot@q"))

    def test_something_else_stands_there(self):
        self.assertIn("%g_q, operand 0 of %g_q_sum, is a dot; the rule wants an all-reduce there",
                      self.why_not(FSDP, "reduce-reduce@g_q_sum"))
        self.assertIn("%x_norm is a multiply; the rule wants a convert or an all-gather",
                      self.why_not(FSDP, "gather-convert@x_norm"))

    def test_what_no_rule_looks_into(self):
        module = self.write("m.hlo", SUMS)
        self.assertIn("no rule looks into a custom-call", self.why_not(module, "reduce-sum@far"))
        self.assertIn("without collectives", self.why_not(module, "reduce-sum@c"))

    def test_switched_off(self):
        module = self.write("m.hlo", SUMS)
        for options, words in [(["--disable", "reduce-sum"], "--disable names it"),
                               (["--only", "gather-dot"], "--only does not name it")]:
            self.assertIn("it is switched off: " + words,
                          self.why_not(module, "reduce-sum@both", *options))
        self.assertIn("--bitwise leaves it out", self.why_not(module, "gather-dot", "--bitwise"))
        self.assertIn("--assume-finite switches it on", self.why_not(module, "zero-times"))

    def test_the_class_of_numerics_decides_in_the_condition(self):
        module = self.write("m.hlo", SUMS)
        self.assertIn("floats would be added in another order (--numerics reassoc)",
                      self.why_not(module, "reduce-sum@out"))
        self.assertIn("it fired", self.why_not(module, "reduce-sum@out", "--numerics", "reassoc"))
        self.assertIn("it is a partial sum of the chain of additions that ends at %out",
                      self.why_not(module, "reduce-sum@both"))

    def test_everywhere(self):
        text = self.why_not(FSDP, "gather-dot")
        self.assertIn("30 values where it could begin", text)
        self.assertIn("  6: it matches, and is refused: the gathered dim is contracted\n     %q, ", text)
        # A chain that may not be taken as one sum is there all the same.
        self.assertIn("%out: its additions are not taken as one sum: floats would be added",
                      self.why_not(self.write("m.hlo", SUMS), "reduce-sum"))
        self.assertIn("nothing near a collective is a collective-permute",
                      self.why_not(FSDP, "permute-permute"))

    def test_a_stopped_search_says_so(self):
        self.assertIn("the search was stopped (node limit 1)",
                      self.why_not(FSDP, "gather-convert@gain_bf16", "--node-limit", 1))

    def test_the_report(self):
        self.why_not(FSDP, "gather-broadcast@gain_all", "--json", "r.json")
        (place,) = self.read_json("r.json")["places"]
        self.assertEqual((place["at"], place["answer"]), ("%gain_all", "not-chosen"))
        self.assertGreater(place["more_us"], 0)


if __name__ == "__main__":
    unittest.main()
