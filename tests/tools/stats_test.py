"""`flipsat stats` and `flipsat rules`: figures of modules, and the catalogue."""

import json
import unittest

from runner import BROKEN, GAINS, INPUT, NO, ToolTest

LOOP = """HloModule loop, num_partitions=2

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

more {
  state = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  n = s32[] constant(5)
  ROOT go = pred[] compare(i, n), direction=LT
}

turn {
  state = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  x = f32[8] get-tuple-element(state), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  total = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum
  pair = (f32[8], f32[8]) all-reduce(total, x), channel_id=2, replica_groups={{0,1}}, use_global_device_ids=true, constrain_layout=true, to_apply=sum
  first = f32[8] get-tuple-element(pair), index=0
  ROOT again = (s32[], f32[8]) tuple(next, first)
}

ENTRY main {
  zero = s32[] constant(0)
  x = f32[8] parameter(0)
  start = (s32[], f32[8]) tuple(zero, x)
  end = (s32[], f32[8]) while(start), condition=more, body=turn
  ROOT y = f32[8] get-tuple-element(end), index=1
}
"""


class Stats(ToolTest):
    def record_of(self, text, *arguments):
        done = self.run_flipsat("stats", self.write("m.hlo", text), "--json", "-", *arguments)
        records = json.loads(done.stdout)["records"]
        self.assertEqual(len(records), 1)
        return records[0]

    def test_keys(self):
        record = self.record_of(GAINS)
        self.assertEqual(record["devices"]["partitions"], 4)
        self.assertEqual([(key["opcode"], key["type"], key["dim"], key["count"], key["bytes"])
                          for key in record["keys"]], [("all-gather", "f32", "0", 1, 262144)])

    def test_loops_with_their_executions(self):
        record = self.record_of(LOOP)
        self.assertEqual(record["loops"], [{"computation": "turn", "executions": 5,
                                            "unknown_trip_count": False,
                                            "collectives": {"all-reduce": 2}}])
        self.assertEqual(record["program"]["executed"]["collectives"], 10)

    def test_what_is_opaque_and_why(self):
        opaque = {entry["why"]: entry["instructions"] for entry in self.record_of(LOOP)["opaque"]}
        self.assertEqual(opaque, {"all-reduce: constrained layout": ["%pair"]})

    def test_text_names_loops_and_opaque_instructions(self):
        text = self.run_flipsat("stats", self.write("m.hlo", LOOP)).stdout
        self.assertRegex(text, r"\nturn +5 +2 all-reduce\n")
        self.assertIn("all-reduce: constrained layout (1): %pair", text)

    def test_given_device_counts_are_said(self):
        record = self.record_of(GAINS.replace(", num_partitions=4", ""), "--partitions", "4")
        self.assertEqual(record["devices"], {"replicas": 1, "partitions": 4, "known": True,
                                             "source": "given"})

    def test_a_scheduled_module_is_opaque_as_a_whole(self):
        record = self.record_of(LOOP.replace("HloModule loop", "HloModule loop, is_scheduled=true"))
        self.assertIn("schedule", record["untouchable"])
        self.assertEqual(record["opaque"], [])
        self.assertIsNone(self.record_of(LOOP)["untouchable"])

    def test_several_modules(self):
        done = self.run_flipsat("stats", self.write("a.hlo", GAINS), self.write("b.hlo", LOOP))
        self.assertIn("a.hlo: ", done.stdout)
        self.assertIn("b.hlo: ", done.stdout)

    def test_one_bad_file_stops_nothing(self):
        self.write("in/a.hlo", BROKEN)
        self.write("in/b.hlo", GAINS)
        done = self.run_flipsat("stats", "in", "--json", "s.json", status=NO)
        self.assertRegex(done.stderr, r"^in/a\.hlo:\d+:\d+: error: ")
        self.assertIn("in/b.hlo: ", done.stdout)
        bad, good = self.read_json("s.json")["records"]
        self.assertEqual(bad, {"input": "in/a.hlo", "error": done.stderr.rstrip("\n")})
        self.assertEqual(good["input"], "in/b.hlo")

    def test_bad_input(self):
        self.run_flipsat("stats", self.write("m.hlo", BROKEN), status=INPUT)
        self.run_flipsat("stats", "gone.hlo", status=INPUT)


class Rules(ToolTest):
    def test_every_rule_has_its_equation(self):
        rules = json.loads(self.run_flipsat("rules", "--json", "-").stdout)["rules"]
        self.assertIn("gather-convert", [rule["name"] for rule in rules])
        for rule in rules:
            self.assertTrue(rule["equation"], rule)
            self.assertIn(rule["numerics"], ["exact", "precise", "reassoc"])
        self.assertEqual(len({rule["name"] for rule in rules}), len(rules))

    def test_text_lists_the_same_rules(self):
        done = self.run_flipsat("rules", "--json", "rules.json")
        for rule in self.read_json("rules.json")["rules"]:
            self.assertIn(f"\n  {rule['name']}  (", "\n" + done.stdout)


if __name__ == "__main__":
    unittest.main()
