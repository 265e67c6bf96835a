"""Files of --machine and --combiner: what docs/machines.md shows and examples/ holds is accepted by the
program and by the schemas, which refuse what the program refuses."""

import copy
import json
import re
import unittest

from runner import GAINS, INPUT, ROOT, ToolTest
from schema import faults

BLOCK = re.compile(r"```json\n(.*?)```", re.DOTALL)
KINDS = ["machine", "combiner"]

# Six gathers of 1 KiB each, that a combiner with other limits than the presets launches otherwise.
SIX = """HloModule six, num_partitions=4

ENTRY main {
  a = f32[16,4] parameter(0)
""" + "".join(f"  g{i} = f32[64,4] all-gather(a), channel_id={i + 1}, replica_groups={{{{0,1,2,3}}}}, "
              "dimensions={0}, use_global_device_ids=true\n" for i in range(6)) + """
  ROOT t = (f32[64,4], f32[64,4], f32[64,4], f32[64,4], f32[64,4], f32[64,4]) tuple(g0, g1, g2, g3, g4, g5)
}
"""


def schema(kind):
    return json.loads((ROOT / "docs" / f"{kind}.schema.json").read_text())


def shown(kind):
    """The file of a kind that docs/machines.md shows."""
    blocks = [json.loads(text) for text in BLOCK.findall((ROOT / "docs" / "machines.md").read_text())]
    assert len(blocks) == 2, len(blocks)
    return blocks[KINDS.index(kind)]


class CostFiles(ToolTest):
    def stats(self, kind, document, status=0):
        path = self.write(f"{kind}.json", json.dumps(document))
        return self.run_flipsat("stats", self.write("m.hlo", GAINS), f"--{kind}", path, status=status)

    def test_examples_follow_the_schemas(self):
        for kind, count in [("machine", 7), ("combiner", 4)]:
            paths = sorted((ROOT / "examples" / f"{kind}s").glob("*.json"))
            self.assertEqual(len(paths), count)
            for path in paths:
                with self.subTest(path.name):
                    self.assertEqual(faults(json.loads(path.read_text()), schema(kind)), [])

    def test_what_the_document_shows(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.assertEqual(faults(shown(kind), schema(kind)), [])
                self.stats(kind, shown(kind))

    def test_program_and_schema_refuse_the_same(self):
        changes = {
            "machine": [("name", 1), ("fabric", "air"), ("fabric", "staged"), ("fabric", "torus"), ("axes", 2),
                        ("devices_per_node", 0), ("launch_us", -1), ("memory_gb_per_s", 0), ("wheels", 4),
                        ("on_node", {"step_us": 1}), ("on_node", {"step_us": 1, "gb_per_s": 2, "colour": 3}),
                        ("curves", [{"opcode": "add", "devices": 2, "points": [[1, 1], [2, 2]]}]),
                        ("curves", [{"opcode": "all-gather", "devices": 2, "points": [[1, 1]]}]), ("name", None)],
            "combiner": [("name", 1), ("by_dim", 1), ("all_gather", True), ("all_gather", {"max_bytes": 1}),
                         ("all_gather", {"max_bytes": 0, "max_count": 1}), ("all_to_all", {"enabled": False}),
                         ("all_gather", {"max_bytes": 1, "max_count": 2 ** 63}),
                         ("all_gather", {"enabled": False, "max_bytes": -1}), ("name", None)],
        }
        for kind in KINDS:
            for name, value in changes[kind]:
                with self.subTest(kind=kind, name=name, value=value):
                    document = copy.deepcopy(shown(kind))
                    if value is None:
                        del document[name]
                    else:
                        document[name] = value
                    self.assertNotEqual(faults(document, schema(kind)), [])
                    done = self.stats(kind, document, INPUT)
                    self.assertRegex(done.stderr, rf"{kind}\.json:1:\d+: error: ")
                    self.assertEqual(done.stdout, "")

    def test_a_missing_file(self):
        for kind in KINDS:
            done = self.run_flipsat("stats", self.write("m.hlo", GAINS), f"--{kind}", "gone.json", status=INPUT)
            self.assertIn(f"gone.json: error: cannot read the {kind} file", done.stderr)

    def test_a_combiner_file_decides_the_launches(self):
        module = self.write("six.hlo", SIX)
        two = {"name": "two", "all_gather": {"max_bytes": 2048, "max_count": 100}}
        for combiner, launches in [("neuron", 1), (ROOT / "examples/combiners/neuron.json", 1), ("none", 6),
                                   (self.write("two.json", json.dumps(two)), 3)]:
            for command in ["stats", "optimize", "batch"]:
                with self.subTest(combiner=combiner, command=command):
                    self.assertEqual(self.launches(command, module, combiner), launches)

    def launches(self, command, module, combiner):
        if command == "stats":
            self.run_flipsat("stats", module, "--combiner", combiner, "--json", "r.json")
            return self.read_json("r.json")["records"][0]["program"]["launches"]
        if command == "optimize":
            self.run_flipsat("optimize", module, "--combiner", combiner, "--report", "r.json")
            return self.read_json("r.json")["programs"]["input"]["launches"]
        self.run_flipsat("batch", self.folder, "--combiner", combiner, "-o", "out")
        return self.read_json("out/report.json")["records"][0]["programs"]["input"]["launches"]


if __name__ == "__main__":
    unittest.main()
