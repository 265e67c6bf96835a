"""What a user is told who asks for something that there is not: exit status 2 and a telling word."""

import unittest

from runner import GAINS, USAGE, ToolTest

LATER_OPTIONS = [["--numerics", "fast"]]

WRONG_VALUES = [["--numerics", "loose"], ["--combiner", "none-such"], ["--machine", "abacus"],
                ["--objective", "beauty"], ["--verify", "maybe"], ["--solver", "oracle"],
                ["--effort", "0"], ["--effort", "many"], ["--node-limit", "-1"],
                ["--partitions", "0"], ["--replicas", "x"], ["--min-gain", "-3"],
                ["--max-peak-growth", "-1"], ["--time-limit", "-1"], ["--threads", "0"],
                ["--min-gain", "nan"], ["--max-peak-growth", "nan"], ["--time-limit", "nan"],
                ["--partitions", "1048577"], ["--replicas", "1099511627776"],
                ["--alternatives", "0"], ["--alternatives", "-1"], ["--alternatives", "some"],
                ["--alternatives", "101"], ["--alternatives", "2.5"],
                ["--memory", "much"], ["--memory", "-1G"], ["--memory", "4X"], ["--memory", "0"],
                ["--memory", "1M"], ["--memory", "nan"], ["--beat-orders=maybe"],
                ["--beat-orders", "--no-greedy-seed"],
                ["--vary", "alpha"], ["--vary", "gravity=2x"], ["--vary", "alpha="],
                ["--vary", "alpha=1x,"], ["--vary", "alpha=fast"], ["--vary", "alpha=-1"],
                ["--vary", "alpha=2y"], ["--vary", "alpha=x"], ["--vary", "alpha=nan"],
                ["--vary", "alpha=infx"], ["--vary", "alpha=1e300"], ["--vary", "beta=0"],
                ["--vary", "max-count=0"], ["--vary", "max-bytes=0x"],
                ["--vary", "max-count=2", "--combiner", "none"], ["--vary", "alpha=0x"],
                ["--min-gain", "inf"], ["--effort", "99999999999999999999"],
                ["--effort", "4611686018427387904"]]

# Options of a command with a value, and what is said of it.
RANGES = [(["scramble", "m.hlo", "-o", "o.hlo"], "--seed", "9223372036854775808",
           "a whole number of at least 0 that fits 64 bits"),
          (["scramble", "m.hlo", "-o", "o.hlo"], "--seed", "-1", "a whole number of at least 0"),
          (["scramble", "m.hlo", "-o", "o"], "--count", "0", "a whole number of at least 1"),
          (["scramble", "m.hlo", "-o", "o.hlo"], "--steps", "1001",
           "a whole number from 1 to 1000"),
          (["optimize", "m.hlo"], "--min-gain", "inf", "a number from 0 to 100"),
          (["optimize", "m.hlo"], "--max-peak-growth", "-1", "a number of at least 0"),
          (["verify", "m.hlo", "m.hlo"], "--time-limit", "0", "a number above 0")]


class Usage(ToolTest):
    def refused(self, *arguments):
        done = self.run_flipsat(*arguments, status=USAGE)
        self.assertEqual(done.stdout, "")
        self.assertIn("error: ", done.stderr)
        return done.stderr

    def test_no_command(self):
        self.refused()

    def test_unknown_command_suggests_the_nearest(self):
        self.assertIn("did you mean 'optimize'?", self.refused("optimise", "m.hlo"))

    def test_unknown_command_far_from_all_suggests_none(self):
        self.assertNotIn("did you mean", self.refused("frobnicate"))

    def test_options_of_later_versions(self):
        module = self.write("m.hlo", GAINS)
        for option in LATER_OPTIONS:
            with self.subTest(option):
                self.assertIn("not available yet", self.refused("optimize", module, *option))

    def test_an_output_over_an_input(self):
        self.write("in/m.hlo", GAINS)
        self.write("machine.json", "{}")
        for words in [["optimize", "in/m.hlo", "--report", "in/m.hlo"],
                      ["optimize", "in/m.hlo", "--machine", "machine.json", "-o", "machine.json"],
                      ["batch", "in", "-o", "out", "--report", "in/m.hlo"],
                      ["stats", "in", "--json", "./in/m.hlo"],
                      ["compare", "in/m.hlo", "--json", "in/m.hlo"],
                      ["compare", "in/m.hlo", "--csv", "in/m.hlo"],
                      ["orders", "in", "--html", "in/m.hlo"],
                      ["verify", "in/m.hlo", "in/m.hlo", "--json", "in/m.hlo"],
                      ["explain", "in/m.hlo", "--json", "in/m.hlo"],
                      ["show", "in/m.hlo", "--format", "json", "-o", "in/m.hlo"]]:
            with self.subTest(words):
                self.assertIn("is an input, and would be written over", self.refused(*words))
                self.assertEqual((self.folder / "in/m.hlo").read_text(), GAINS)
        self.assertEqual((self.folder / "machine.json").read_text(), "{}")

    def test_an_empty_word(self):
        self.write("m.hlo", GAINS)
        for words in [["batch", "", "-o", "out"], ["batch", "m.hlo", "-o", ""], ["stats", "--", ""],
                      ["explain", "m.hlo", "--why-not", ""], ["batch", "m.hlo", "-o", "out", "--cache", ""]]:
            with self.subTest(words):
                self.assertIn("empty", self.refused(*words))

    def test_a_missing_value_does_not_take_the_next_option(self):
        self.write("m.hlo", GAINS)
        for words in [["--assume-replicated=", "--min-gain=50"], ["--report=", "--quiet"]]:
            self.assertIn("expected a value after '='", self.refused("optimize", "m.hlo", *words))
        for words in [["--assume-replicated", "--min-gain=50"], ["-o", "--quiet"],
                      ["--machine", "--help"]]:
            self.assertIn(f"{words[0]}: expected a value, not '{words[1]}'",
                          self.refused("optimize", "m.hlo", *words))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["m.hlo"])
        self.run_flipsat("optimize", "m.hlo", "-o", "./--quiet")  # a name like any other

    def test_links_that_lead_round(self):
        self.write("m.hlo", GAINS)
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        self.refused("convert", "m.hlo", "a")
        self.refused("optimize", "m.hlo", "-o", "a" * 300)

    def test_wrong_values(self):
        module = self.write("m.hlo", GAINS)
        for option in WRONG_VALUES:
            with self.subTest(option):
                self.refused("optimize", module, *option)

    def test_numbers_out_of_range_are_told_what_is_allowed(self):
        self.write("m.hlo", GAINS)
        for command, option, value, allowed in RANGES:
            with self.subTest((option, value)):
                self.assertIn(f"error: {option}: expected {allowed}, not '{value}'\n",
                              self.refused(*command, option, value))
        self.assertEqual(self.files(), ["m.hlo"])

    def test_places_that_cannot_be_written(self):
        self.write("m.hlo", GAINS)
        self.assertIn("there is no folder gone", self.refused("optimize", "m.hlo", "-o", "gone/o.hlo"))
        for name in ["o.pb.bz2", "o.hlo.XZ"]:
            self.assertIn("is not supported; .gz and .zst compress",
                          self.refused("optimize", "m.hlo", "-o", name))
        self.assertIn("it is a directory", self.refused("optimize", "m.hlo", "-o", "."))
        self.assertEqual(self.files(), ["m.hlo"])

    def test_unknown_option_and_missing_input(self):
        module = self.write("m.hlo", GAINS)
        self.refused("optimize", module, "--frobnicate")
        self.refused("optimize")
        self.refused("optimize", module, module)
        self.refused("verify", module)
        self.refused("batch", self.folder)  # without -o

    def test_unknown_parameter_suggests_the_nearest(self):
        module = self.write("m.hlo", GAINS)
        self.assertIn("did you mean 'alpha'?", self.refused("optimize", module, "--vary", "alpa=2x"))

    def test_only_one_module_is_varied(self):
        self.refused("batch", self.folder, "-o", "out", "--vary", "alpha=2x")

    def test_unknown_rule_suggests_the_nearest(self):
        module = self.write("m.hlo", GAINS)
        for option in ["--disable", "--only"]:
            self.assertIn("did you mean 'gather-convert'?",
                          self.refused("optimize", module, option, "gather-convrt"))

    def test_quiet_and_verbose_exclude_each_other(self):
        self.refused("optimize", self.write("m.hlo", GAINS), "--quiet", "--verbose")

    def test_help_and_version(self):
        self.assertRegex(self.run_flipsat("--version").stdout, r"^flipsat \d+\.\d+\.\d+\n$")
        self.assertIn("optimize", self.run_flipsat("--help").stdout)
        for command in ["optimize", "compare", "orders", "batch", "verify", "stats", "rules", "scramble"]:
            self.assertIn(command, self.run_flipsat(command, "--help").stdout)


if __name__ == "__main__":
    unittest.main()
