"""Rewrites that are wrong on purpose: XLA must tell each pair apart. And `flipsat verify --with xla`."""

import json
import os
import subprocess
import unittest

from batch import BINARY, PYTHON, Batch, OracleTest

DONE, NO, NOT_CHECKED = 0, 1, 5

HEADER = """HloModule m, num_partitions=4
add { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT s = TYPE[] add(a, b) }
largest { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT s = TYPE[] maximum(a, b) }
ENTRY main {
"""
GROUPS = "channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true"
OWN = """  table = s32[4] constant({0, 2, 4, 6})
  id = u32[] partition-id()
  entry = s32[1] dynamic-slice(table, id), dynamic_slice_sizes={1}
  own = s32[] reshape(entry)
  zero = s32[] constant(0)
"""


def module(lines, element="f32"):
    lines = "".join(f"  {line.strip()}\n" for line in lines.strip().split("\n"))
    return HEADER.replace("TYPE", element) + lines.replace("GROUPS", GROUPS) + "}\n"


GATHERED_TWICE = """
x = f32[2,6] parameter(0)
y = f32[2,6] parameter(1)
p = f32[8,6] all-gather(x), dimensions={0}, GROUPS
q = f32[8,6] all-gather(y), dimensions={0}, GROUPS
"""
SUMMED_SHARD = OWN + """
  x = f32[8,6] parameter(0)
  sum = f32[8,6] all-reduce(x), GROUPS, to_apply=add
  ROOT mine = f32[2,6] dynamic-slice(sum, own, zero), dynamic_slice_sizes={2,6}
"""
SCATTERED = """
x = f32[8,6] parameter(0)
ROOT mine = f32[2,6] reduce-scatter(x), dimensions={0}, to_apply=add, GROUPS
"""

RIGHT = {
    "summed shard": (SUMMED_SHARD, SCATTERED),
    "narrowed first": ("""
        x = f32[2,6] parameter(0)
        full = f32[8,6] all-gather(x), dimensions={0}, GROUPS
        ROOT half = bf16[8,6] convert(full)""", """
        x = f32[2,6] parameter(0)
        narrow = bf16[2,6] convert(x)
        ROOT half = bf16[8,6] all-gather(narrow), dimensions={0}, GROUPS"""),
}

WRONG = {
    "results swapped": (GATHERED_TWICE + "ROOT t = (f32[8,6], f32[8,6]) tuple(p, q)",
                        GATHERED_TWICE + "ROOT t = (f32[8,6], f32[8,6]) tuple(q, p)"),
    "product of one operand with itself": (
        GATHERED_TWICE + "ROOT r = f32[8,6] multiply(p, q)", """
        x = f32[2,6] parameter(0)
        y = f32[2,6] parameter(1)
        r = f32[2,6] multiply(x, x)
        ROOT p = f32[8,6] all-gather(r), dimensions={0}, GROUPS"""),
    # A slice passes a gather although each device cuts elsewhere.
    "start that differs by device": (OWN + """
        x = f32[2,8] parameter(0)
        full = f32[8,8] all-gather(x), dimensions={0}, GROUPS
        ROOT cut = f32[8,2] dynamic-slice(full, zero, own), dynamic_slice_sizes={8,2}""", OWN + """
        x = f32[2,8] parameter(0)
        cut = f32[2,2] dynamic-slice(x, zero, own), dynamic_slice_sizes={2,2}
        ROOT full = f32[8,2] all-gather(cut), dimensions={0}, GROUPS"""),
    # A sum passes a convert that cuts off fractions.
    "float sum made an integer sum": ("""
        x = f32[8] parameter(0)
        sum = f32[8] all-reduce(x), GROUPS, to_apply=add
        ROOT whole = s32[8] convert(sum)""", """
        x = f32[8] parameter(0)
        whole = s32[8] convert(x)
        ROOT sum = s32[8] all-reduce(whole), GROUPS, to_apply=add_integers"""),
    "members in another order": (
        SCATTERED, SCATTERED.replace("GROUPS", GROUPS.replace("{0,1,2,3}", "{1,0,2,3}"))),
    "other groups": (
        SCATTERED.replace("f32[2,6]", "f32[4,6]").replace(
            "GROUPS", GROUPS.replace("{{0,1,2,3}}", "{{0,1},{2,3}}")),
        SCATTERED.replace("f32[2,6]", "f32[4,6]").replace(
            "GROUPS", GROUPS.replace("{{0,1,2,3}}", "{{0,2},{1,3}}"))),
    "another reducer": (SCATTERED, SCATTERED.replace("to_apply=add", "to_apply=largest")),
    "shard beside one's own": (SUMMED_SHARD.replace("{0, 2, 4, 6}", "{2, 4, 6, 0}"), SCATTERED),
    "slice shifted by one": (
        GATHERED_TWICE + "ROOT s = f32[7,6] slice(p), slice={[0:7], [0:6]}",
        GATHERED_TWICE + "ROOT s = f32[7,6] slice(p), slice={[1:8], [0:6]}"),
    "reshape of the gathered dim": ("""
        x = f32[2,4] parameter(0)
        full = f32[2,16] all-gather(x), dimensions={1}, GROUPS
        ROOT flat = f32[32] reshape(full)""", """
        x = f32[2,4] parameter(0)
        flat = f32[8] reshape(x)
        ROOT full = f32[32] all-gather(flat), dimensions={0}, GROUPS"""),
    "another dim scattered": ("""
        x = f32[8,8] parameter(0)
        part = f32[2,8] reduce-scatter(x), dimensions={0}, to_apply=add, GROUPS
        ROOT t = f32[8,2] transpose(part), dimensions={1,0}""", """
        x = f32[8,8] parameter(0)
        ROOT t = f32[8,2] reduce-scatter(x), dimensions={1}, to_apply=add, GROUPS"""),
}

# A sum over everything does not show in which order the shards lie.
BLIND = """
{lines}
start = f32[] constant(0)
local = f32[] reduce(mine, start), dimensions={{0,1}}, to_apply=add
ROOT all = f32[] all-reduce(local), GROUPS, to_apply=add
"""


def integers(text):
    """With the reducer that one of the pairs needs."""
    return text.replace("ENTRY", "add_integers { a = s32[] parameter(0) b = s32[] parameter(1) "
                        "ROOT s = s32[] add(a, b) }\nENTRY")


class Wrong(OracleTest):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def pairs(self, named):
        batch = Batch(self.folder, ["integers", "normal"])
        for name, texts in named.items():
            before, after = (self.write(f"{name} {side}.hlo", integers(module(text)))
                             for side, text in zip("ab", texts))
            batch.add_pair(name, before, after, excerpts=False)
        return batch

    def test_wrong_pairs_are_told_apart(self):
        batch = self.pairs(WRONG)
        answers = {record["name"]: (record["answer"], record["why"]) for record in batch.run()}
        batch.report("wrong on purpose")
        self.assertEqual(answers, {f"{name}: the whole program": ("different", "") for name in WRONG})

    def test_right_pairs_are_not(self):
        self.check(self.pairs(RIGHT), "right", least=len(RIGHT))

    def verify(self, before, after, *options):
        paths = self.write("before.hlo", module(before)), self.write("after.hlo", module(after))
        done = subprocess.run([BINARY, "verify", *paths, "--with", "xla", *options], text=True,
                              capture_output=True, check=False, cwd=self.folder,
                              env={**os.environ, "FLIPSAT_PYTHON": PYTHON})
        return done

    def test_the_command(self):
        done = self.verify(SUMMED_SHARD, SCATTERED, "--json", "answer.json")
        self.assertEqual(done.returncode, DONE, done.stdout + done.stderr)
        answer = json.loads((self.folder / "answer.json").read_text())
        self.assertEqual(answer["answer"], "same")
        self.assertEqual(answer["xla"]["pairs"][0]["answer"], "same")
        done = self.verify(*WRONG["another reducer"])
        self.assertEqual(done.returncode, NO, done.stdout + done.stderr)
        self.assertIn("differ", done.stdout)

    def test_what_the_whole_program_hides_an_excerpt_shows(self):
        right = BLIND.format(lines=SCATTERED.replace("ROOT ", ""))
        wrong = right.replace("GROUPS", GROUPS.replace("{0,1,2,3}", "{3,2,1,0}"), 1)
        done = self.verify(right, wrong, "--json", "answer.json")
        pairs = json.loads((self.folder / "answer.json").read_text())["xla"]["pairs"]
        self.assertEqual([pair["answer"] for pair in pairs], ["same", "different"])
        self.assertIn(done.returncode, (NO, NOT_CHECKED))

    def test_an_input_that_has_to_be_equal_on_all_devices(self):
        """A slice may pass a gather where its start is the same everywhere: said, not shown."""
        before = """
            x = f32[2,8] parameter(0)
            at = s32[2] parameter(1)
            zero = s32[] constant(0)
            first = s32[1] slice(at), slice={[0:1]}
            start = s32[] reshape(first)
            full = f32[8,8] all-gather(x), dimensions={0}, GROUPS
            ROOT cut = f32[8,2] dynamic-slice(full, zero, start), dynamic_slice_sizes={8,2}"""
        after = """
            x = f32[2,8] parameter(0)
            at = s32[2] parameter(1)
            zero = s32[] constant(0)
            first = s32[1] slice(at), slice={[0:1]}
            start = s32[] reshape(first)
            part = f32[2,2] dynamic-slice(x, zero, start), dynamic_slice_sizes={2,2}
            ROOT cut = f32[8,2] all-gather(part), dimensions={0}, GROUPS"""
        self.assertEqual(self.verify(before, after).returncode, NO)
        done = self.verify(before, after, "--assume-replicated", "at")
        self.assertEqual(done.returncode, DONE, done.stdout)


if __name__ == "__main__":
    unittest.main()
