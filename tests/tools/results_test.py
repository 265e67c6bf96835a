"""scripts/results_table.py, which makes docs/results.md, on small modules."""

import subprocess
import sys
import unittest

from runner import BINARY, BROKEN, GAINS, NOTHING, ROOT, ToolTest

# Each device keeps its own shard of a sum, which is launched with another that is sliced at the same place
# everywhere. A launch more does not pay at this size.
SLICED = """HloModule sliced, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

ENTRY main {
  x = f32[1024,256] parameter(0)
  id = u32[] partition-id()
  rows = u32[] constant(256)
  zero = u32[] constant(0)
  start = u32[] multiply(id, rows)
  all-reduce = f32[1024,256] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  own = f32[256,256] dynamic-slice(all-reduce, start, zero), dynamic_slice_sizes={256,256}
  y = f32[1024,256] negate(x)
  other = f32[1024,256] all-reduce(y), channel_id=2, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  first = f32[256,256] dynamic-slice(other, rows, zero), dynamic_slice_sizes={256,256}
  ROOT both = (f32[256,256], f32[256,256]) tuple(own, first)
}
"""
LARGE = SLICED.replace("1024", "16384").replace("256", "4096")


class Results(ToolTest):
    def page(self):
        done = subprocess.run([sys.executable, ROOT / "scripts/results_table.py", BINARY, "in"],
                              capture_output=True, text=True, cwd=self.folder, check=True)
        return done.stdout

    def section(self, page, title):
        """The rows of tables below a title, as lists of cells."""
        text = page.split(f"## {title}\n")[1].split("\n## ")[0]
        return [[cell.strip() for cell in line.strip("|").split("|")]
                for line in text.splitlines() if line.startswith("|")]

    def test_tells_what_is_gained_and_what_is_not(self):
        self.write("in/gains.hlo", GAINS)
        self.write("in/deep/nothing.hlo", NOTHING)
        self.write("in/large.hlo", LARGE)
        self.write("in/sliced.hlo", SLICED)
        self.write("in/broken.hlo", BROKEN)
        page = self.page()
        self.assertIn("5 modules: 3 gain with exact numerics, 0 more with looser numerics, 1 stay", page)
        self.assertIn("1 failed", page)

        head, _, gains, large, _, helped = self.section(page, "What each family adds")
        self.assertEqual(gains[0], "`gains.hlo`")
        flips, algebra = head.index("flips and see-through"), head.index("+ collective algebra")
        self.assertLess(float(gains[flips]), 0)
        self.assertEqual(gains[flips], gains[head.index("greedy")])
        self.assertEqual(set(gains[flips + 1:head.index("reassoc") + 1]), {""})
        self.assertEqual(large[flips], "")
        self.assertLess(float(large[algebra]), 0)
        self.assertEqual(helped[flips:algebra + 1], ["1", "1"])

        bounds = self.section(page, "How near the bound")
        self.assertEqual(bounds[0][0], "objective")
        self.assertEqual([line[0] for line in bounds[2:5]], ["time", "bytes", "launches"])
        for line in bounds[2:5]:
            modules, *parts = map(int, line[1:])
            self.assertEqual((modules, sum(parts)), (4, 4))
            self.assertGreaterEqual(parts[0], 3)

        unchanged = self.section(page, "Modules on which nothing is gained")[2:]
        self.assertEqual(unchanged[0][0], "`deep/nothing.hlo`")
        self.assertEqual(unchanged[1][0], "`broken.hlo`")
        self.assertIn("broken.hlo:5:", unchanged[1][3])

        slices = self.section(page, "All-reduces of which only a slice is kept")
        self.assertIn(["`large.hlo`", "2", "0"], slices)
        self.assertIn(["`sliced.hlo`", "2", "1"], slices)
        self.assertEqual(slices[-1][:3], ["`sliced.hlo`", "`own`", "cost"])
        kept, otherwise = map(float, slices[-1][3:])
        self.assertLess(kept, otherwise)
        refused = self.section(page, "Refused")[2:]
        self.assertTrue(all(int(places.replace(",", "")) > 0 for _, _, places in refused))
        self.assertEqual(self.page(), page)


if __name__ == "__main__":
    unittest.main()
