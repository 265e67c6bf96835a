"""Modules as torch_xla and Neuron trace them, text and proto, and files that stand in another's place."""

import gzip
import os
import stat
import unittest

from runner import GAINS, INPUT, NOTHING, ToolTest

STACK = r'''source_file="/home/me/train.py\n----\n[\'/home/me/train.py:46\', \'/home/me/model.py:97\']" source_line=46'''

# No device counts, groups `{}`, a custom call of no API version, an all-reduce that threads a token
# (a scalar, as torch_xla does), a parameter that holds the device's number, and the number itself.
TRACED = """HloModule SyncTensorsGraph.60

%AddComputation.9 (x.10: f32[], y.11: f32[]) -> f32[] {
  %x.10 = f32[] parameter(0)
  %y.11 = f32[] parameter(1)
  ROOT %add.12 = f32[] add(f32[] %x.10, f32[] %y.11)
}

ENTRY %SyncTensorsGraph.60 (p0.1: f32[64,256], p1.2: f32[256], p2.3: s32[], p3.4: f32[4096,1024], p4.8: f32[16]) -> (bf16[256,256], f32[1024,1024], f32[16], f32[]) {
  %p0.1 = f32[64,256]{1,0} parameter(0)
  %p1.2 = f32[256]{0} parameter(1)
  %custom-call.5 = f32[64,256]{1,0} custom-call(f32[64,256]{1,0} %p0.1, f32[256]{0} %p1.2), custom_call_target="AwsNeuronRmsNorm", api_version=API_VERSION_UNSPECIFIED, backend_config="1e-05"
  %all-gather.6 = f32[256,256]{1,0} all-gather(f32[64,256]{1,0} %custom-call.5), replica_groups={}, dimensions={0}
  %convert.7 = bf16[256,256]{1,0} convert(f32[256,256]{1,0} %all-gather.6), metadata={op_type="xla__cast" op_name="xla__cast" STACK}
  %p3.4 = f32[4096,1024]{1,0} parameter(3)
  %sum.15 = f32[4096,1024]{1,0} all-reduce(f32[4096,1024]{1,0} %p3.4), replica_groups={}, to_apply=%AddComputation.9
  %p4.8 = f32[16]{0} parameter(4)
  %token.13 = f32[] constant(0)
  %all-reduce.14 = (f32[16]{0}, f32[]) all-reduce(f32[16]{0} %p4.8, f32[] %token.13), replica_groups={}, to_apply=%AddComputation.9
  %small.26 = f32[16]{0} get-tuple-element((f32[16]{0}, f32[]) %all-reduce.14), index=0
  %token.16 = f32[] get-tuple-element((f32[16]{0}, f32[]) %all-reduce.14), index=1
  %p2.3 = s32[] parameter(2)
  %rows.17 = s32[] constant(1024)
  %device.18 = s32[] DEVICE
  %start.19 = s32[] multiply(s32[] %device.18, s32[] %rows.17)
  %zero.20 = s32[] constant(0)
  %own.21 = f32[1024,1024]{1,0} dynamic-slice(f32[4096,1024]{1,0} %sum.15, s32[] %start.19, s32[] %zero.20), dynamic_slice_sizes={1024,1024}
  ROOT %tuple.25 = (bf16[256,256]{1,0}, f32[1024,1024]{1,0}, f32[16]{0}, f32[]) tuple(bf16[256,256]{1,0} %convert.7, f32[1024,1024]{1,0} %own.21, f32[16]{0} %small.26, f32[] %token.16)
}
""".replace("STACK", STACK)

BY_PARAMETER = TRACED.replace("DEVICE", "copy(s32[] %p2.3)")
BY_NUMBER = TRACED.replace("DEVICE", "convert(u32[] %id.22)").replace(
    "  %rows.17", "  %id.22 = u32[] replica-id()\n  %rows.17")


class Traced(ToolTest):
    def optimized(self, text, *options):
        """The report's changes by rule, the same from text and from its proto."""
        self.write("m.hlo", text)
        self.run_flipsat("convert", "m.hlo", "m.pb")
        seen = []
        for name in ["m.hlo", "m.pb"]:
            done = self.run_flipsat("optimize", name, "-o", "o-" + name, "--report", "r.json", *options)
            self.assertIn("4 replicas x 1 partition", done.stdout)
            self.run_flipsat("verify", name, "o-" + name, *options)
            changes = self.read_json("r.json")["changes"]
            seen.append(sorted((change["at"], *change["rules"]) for change in changes))
        self.assertEqual(seen[0], seen[1])
        self.run_flipsat("verify", "o-m.hlo", "o-m.pb", *options)
        return seen[0]

    def test_the_own_shard_of_a_sum_is_known_by_replica_id(self):
        rules = [rule for _, *rules in self.optimized(BY_NUMBER) for rule in rules]
        self.assertIn("gather-convert", rules)
        self.assertIn("reduce-own-shard", rules)

    def test_of_a_parameter_nothing_is_assumed(self):
        rules = [rule for _, *rules in self.optimized(BY_PARAMETER) for rule in rules]
        self.assertEqual(rules, ["gather-convert"])

    def test_a_parameter_may_be_declared_equal_on_all_devices(self):
        for option in [[], ["--assume-replicated", "p2.3"]]:
            self.write("m.hlo", BY_PARAMETER)
            done = self.run_flipsat("optimize", "m.hlo", "--verbose", *option)
            self.assertEqual("a start index differs inside a group" not in done.stdout, bool(option))

    def test_custom_calls_and_token_come_through(self):
        self.optimized(BY_NUMBER)
        self.run_flipsat("convert", "o-m.pb", "back.hlo")
        for name in ["o-m.hlo", "back.hlo"]:
            text = (self.folder / name).read_text()
            self.assertIn("api_version=API_VERSION_UNSPECIFIED", text)
            self.assertIn('backend_config="1e-05"', text)
            self.assertRegex(text, r"\(f32\[16\]\{0\}, f32\[\]\) all-reduce\(")
            self.assertNotIn("num_partitions", text)

    def test_of_a_stack_only_its_first_line_is_shown(self):
        for name in ["m.hlo", "m.pb"]:
            self.optimized(BY_NUMBER)
            done = self.run_flipsat("optimize", name)
            self.assertIn("gather-convert; /home/me/train.py:46 (xla__cast)\n", done.stdout)


class InPlace(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("gains.hlo", GAINS)
        self.run_flipsat("convert", "gains.hlo", "gains.pb")
        self.proto = (self.folder / "gains.pb").read_bytes()

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def replaced(self, name, content, mode=0o640):
        self.write(name, content).chmod(mode)
        done = self.run_flipsat("optimize", name, "-o", name)
        self.run_flipsat("verify", "gains.hlo", name)
        self.assertNotEqual(self.bytes_of(name), content)
        self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), mode)
        self.assertEqual([file for file in self.files() if ".flipsat" in file], [])
        return self.bytes_of(name), done.stderr

    def test_proto(self):
        for name in ["model.hlo_module.pb", "model"]:
            content, said = self.replaced(name, self.proto)
            self.assertFalse(content.startswith(b"HloModule"))
            self.assertEqual(said, "")

    def test_a_proto_that_is_called_text_stays_a_proto(self):
        content, said = self.replaced("model.hlo", self.proto)
        self.assertFalse(content.startswith(b"HloModule"))
        self.assertEqual(said, "flipsat: note: model.hlo is a proto, though its name says text; it "
                               "stays so\n")

    def test_text_that_is_called_a_proto_stays_text(self):
        content, said = self.replaced("model.pb", GAINS.encode())
        self.assertTrue(content.startswith(b"HloModule"))
        self.assertIn("model.pb is text, though its name says a proto", said)

    def test_compression_stays_whatever_the_name(self):
        for name in ["model.hlo_module.pb", "model.hlo_module.pb.gz"]:
            content, _ = self.replaced(name, gzip.compress(self.proto))
            self.assertFalse(gzip.decompress(content).startswith(b"HloModule"))
        content, _ = self.replaced("not.pb.gz", self.proto)
        self.assertFalse(content.startswith(b"\x1f\x8b"))

    def test_through_a_link(self):
        self.write("model.pb", self.proto)
        os.symlink("model.pb", self.folder / "link.hlo")
        self.run_flipsat("optimize", "link.hlo", "-o", "model.pb")
        self.assertFalse(self.bytes_of("model.pb").startswith(b"HloModule"))
        self.assertTrue((self.folder / "link.hlo").is_symlink())

    def test_elsewhere_the_name_decides_and_a_note_says_so(self):
        self.write("model.hlo", self.proto)
        done = self.run_flipsat("optimize", "model.hlo", "-o", "out.hlo")
        self.assertTrue(self.bytes_of("out.hlo").startswith(b"HloModule"))
        self.assertIn("note: model.hlo is a proto, though its name says text; out.hlo is text, as its "
                      "name says\n", done.stderr)
        for name in ["out.pb", "OUT.PB", "out.bin"]:
            self.assertEqual(self.run_flipsat("optimize", "model.hlo", "-o", name).stderr, "")
            self.assertFalse(self.bytes_of(name).startswith(b"HloModule"))

    def test_nothing_to_gain_is_the_input_below_the_compression(self):
        self.write("nothing.hlo", NOTHING)
        self.run_flipsat("convert", "nothing.hlo", "nothing.pb")
        proto = self.bytes_of("nothing.pb")
        self.write("model.pb", gzip.compress(proto))
        self.run_flipsat("optimize", "model.pb", "-o", "model.pb")
        self.assertEqual(gzip.decompress(self.bytes_of("model.pb")), proto)

    def test_batch_keeps_form_by_content(self):
        self.write("in/a.hlo", gzip.compress(self.proto))
        self.write("in/b.pb.gz", GAINS)
        self.run_flipsat("batch", "in", "-o", "out")
        self.assertFalse(gzip.decompress(self.bytes_of("out/a.hlo")).startswith(b"HloModule"))
        self.assertTrue(self.bytes_of("out/b.pb.gz").startswith(b"HloModule"))

    def test_a_file_that_cannot_be_read_stays(self):
        cut = gzip.compress(self.proto)[:100]
        self.write("model.pb", cut)
        done = self.run_flipsat("optimize", "model.pb", "-o", "model.pb", status=INPUT)
        self.assertEqual(done.stderr,
                         "model.pb:1:101: error: expected the rest of a gzip stream, it is cut off\n")
        self.assertEqual(self.bytes_of("model.pb"), cut)


class BadFiles(ToolTest):
    def test_what_is_no_module(self):
        for content, found in [(b"", "an empty file"), (b"\n \n", "nothing but blanks"),
                               (bytes(100), "nothing but NUL bytes"),
                               (gzip.compress(b""), "an empty file"),
                               (b"BZh91AY&SY", "bzip2; gzip and zstd are unpacked"),
                               (b"module @jit_f {\n}\n", "MLIR; JAX gives HLO")]:
            with self.subTest(found):
                self.write("m.hlo", content)
                done = self.run_flipsat("optimize", "m.hlo", "-o", "o.hlo", status=INPUT)
                self.assertIn(f"m.hlo:1:1: error: expected an HLO module, found {found}", done.stderr)
                self.assertNotIn("o.hlo", self.files())
        self.assertIn("gone.hlo:1:1: error: cannot open",
                      self.run_flipsat("optimize", "gone.hlo", status=INPUT).stderr)

    def test_packed_twice(self):
        self.write("m.hlo.gz", gzip.compress(gzip.compress(GAINS.encode())))
        self.run_flipsat("convert", "m.hlo.gz", "m.hlo")
        self.assertEqual((self.folder / "m.hlo").read_text(), GAINS)


if __name__ == "__main__":
    unittest.main()
