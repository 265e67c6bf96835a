"""The pieces of python/flipsat_xla, one by one."""

import json
import subprocess
import unittest

from batch import PYTHON, ROOT, OracleTest

from flipsat_xla import prepare  # found by way of batch

SAME = """HloModule m, replica_count=2
ENTRY main { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) }
"""
# One device leaves the loop, and the others wait for it in the all-reduce.
HANGS = """HloModule hangs, replica_count=2
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] add(a, b) }
more { n = s32[] parameter(0) id = u32[] replica-id() i = s32[] convert(id) four = s32[] constant(4) last = s32[] multiply(i, four) ROOT c = pred[] compare(n, last), direction=LE }
body { n = s32[] parameter(0) one = s32[] constant(1) sum = s32[] all-reduce(one), replica_groups={{0,1}}, to_apply=add ROOT m = s32[] add(n, sum) }
ENTRY main { n = s32[] constant(0) x = f32[4] parameter(0) w = s32[] while(n), condition=more, body=body ROOT t = (s32[], f32[4]) tuple(w, x) }
"""


class Text(unittest.TestCase):
    def test_groups_in_all_spellings(self):
        for spelled, lists in [
                ("[2,4]<=[8]", "{0,1,2,3},{4,5,6,7}"),
                ("[4,2]<=[2,4]T(1,0)", "{0,4},{1,5},{2,6},{3,7}"),
                ("mesh['a'=2,'b'=4] {'b'}", "{0,1,2,3},{4,5,6,7}"),
                ("mesh['a'=2,'b'=4] {'a'}", "{0,4},{1,5},{2,6},{3,7}"),
                ("mesh['a'=4,'b'=2], device_ids=([2,4]T(1,0)) {'b'}", "{0,4},{1,5},{2,6},{3,7}"),
                ("{{0,1},{2,3}}", "{0,1},{2,3}")]:
            self.assertEqual(prepare.with_lists(f"replica_groups={spelled}, x"),
                             "replica_groups={" + lists + "}, x")

    def test_tuple_parameters_become_arrays(self):
        text, parameters = prepare.flat_parameters(
            "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, num_partitions=2\n\n"
            "ENTRY %main (p: (f32[2], (s32[], pred[3]))) -> f32[2] {\n"
            "  %p = (f32[2]{0}, /*index=1*/(s32[], pred[3]{0})) parameter(0)\n"
            "  ROOT %x = f32[2]{0} get-tuple-element(%p), index=0\n}\n")
        self.assertEqual([(p.type, p.dims) for p in parameters],
                         [("f32", (2,)), ("s32", ()), ("pred", (3,))])
        self.assertIn("%p.e1 = (s32[], pred[3]) tuple(%p.e1.e0, %p.e1.e1)", text)
        self.assertTrue(text.startswith("HloModule m, num_partitions=2\n"), text)

    def test_variadic_collectives_are_split(self):
        text = prepare.without_variadic(
            "  ROOT %g = (f32[4]{0}, bf16[8]{0}) all-gather(%a, %b), dimensions={0}\n")
        self.assertEqual(text, "  %g.v0 = f32[4] all-gather(%a), dimensions={0}\n"
                               "  %g.v1 = bf16[8] all-gather(%b), dimensions={0}\n"
                               "  ROOT %g = (f32[4], bf16[8]) tuple(%g.v0, %g.v1)\n")

    def test_what_says_nothing_is_refused(self):
        with self.assertRaisesRegex(prepare.CannotRun, "elided"):
            prepare.readable("  c = s32[8] constant({...})\n")

    def test_the_coarsest_sum_decides_the_unit(self):
        text = "  %a = bf16[2]{0} all-reduce(%x)\n  %b = f32[2]{0} all-reduce(%y)\n"
        self.assertEqual(prepare.unit_of_sums(text), 2.0 ** -8)
        self.assertEqual(prepare.unit_of_sums(""), 2.0 ** -24)


class Supervision(OracleTest):
    def run_pairs(self, *texts, **job):
        pairs = []
        for number, text in enumerate(texts):
            path = self.folder / f"{number}.hlo"
            path.write_text(text)
            pairs.append({"name": str(number), "before": path.name, "after": path.name,
                          "replicas": 2, "partitions": 1})
        (self.folder / "pairs.json").write_text(json.dumps({"pairs": pairs, **job}))
        done = subprocess.run([PYTHON, "-B", ROOT / "python" / "flipsat_xla",
                               self.folder / "pairs.json"], capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout)["pairs"]

    def test_a_hang_ends_and_the_next_pair_is_run(self):
        status, records = self.run_pairs(SAME, HANGS, SAME, timeout=15, kinds=["normal"])
        self.assertEqual([record["answer"] for record in records], ["same", "cannot run", "same"])
        self.assertRegex(records[1]["why"], "did not finish|died")
        self.assertEqual(status, 5)

    def test_what_xla_cannot_read_is_said(self):
        status, records = self.run_pairs("HloModule m\nENTRY e { x = f32[2] nonsense() }\n", SAME)
        self.assertEqual([record["answer"] for record in records], ["cannot run", "same"])
        self.assertIn("nonsense", records[0]["why"])
        self.assertEqual(status, 5)


if __name__ == "__main__":
    unittest.main()
