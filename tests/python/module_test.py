#!/usr/bin/env python3
"""Modules: read, written, and refused with the place."""

import gzip
import pickle
import unittest

import case
import flipsat


class ModuleTest(case.PackageTest):
    def test_text_comes_back_to_the_letter(self):
        for text in (case.GAINS, case.NOTHING, *(path.read_text() for path in case.EXAMPLES)):
            self.assertEqual(flipsat.Module.parse(text).to_text(), text)

    def test_text_that_is_not_utf_8(self):
        text = case.GAINS.replace("convert(full)", 'convert(full), metadata={op_name="caf\udce9 \u00e9"}')
        path = self.write("m.hlo", text.encode("utf-8", "surrogateescape"))
        self.assertEqual(flipsat.Module.read(path).to_text(), text)
        self.assertEqual(flipsat.Module.parse(text).to_text(), text)

    def test_what_it_is(self):
        module = flipsat.Module.parse(case.GAINS, name="gains.hlo")
        self.assertEqual((module.name, module.file, module.num_partitions, module.replica_count),
                         ("gains", "gains.hlo", 4, None))
        self.assertEqual(repr(module), "<flipsat.Module 'gains': 3 instructions in 1 computations, text>")
        with self.assertRaises(TypeError):
            flipsat.Module()

    def test_protos(self):
        module = flipsat.Module.parse(case.GAINS)
        data = module.to_proto()
        again = flipsat.Module.from_proto(data)
        self.assertIn("proto", repr(again))
        self.assertEqual(again.to_proto(), data)
        self.assertEqual(flipsat.Module.from_proto(gzip.compress(data)).to_proto(), data)
        self.assertEqual(flipsat.Module.from_proto(gzip.compress(gzip.compress(data))).to_proto(), data)
        path = self.write("m.hlo", case.GAINS)
        self.binary("convert", path, "m.pb")
        self.assertEqual((self.folder / "m.pb").read_bytes(), data)
        self.binary("convert", "m.pb", "back.hlo")
        self.assertEqual((self.folder / "back.hlo").read_text(), again.to_text())

    def test_pickled(self):
        text = flipsat.Module.parse(case.GAINS, "gains.hlo")
        proto = flipsat.Module.from_proto(text.to_proto(), "gains.pb")
        for module in (text, proto, flipsat.optimize(text).module):
            again = pickle.loads(pickle.dumps(module))
            self.assertEqual((again.to_text(), again.to_proto(), again.file, repr(again)),
                             (module.to_text(), module.to_proto(), module.file, repr(module)))

    def test_files(self):
        module = flipsat.Module.parse(case.GAINS)
        for name in ("m.hlo", "m.pb", "m.hlo.gz", "m.pb.zst", "m", "-"):
            path = self.folder / name
            module.write(path)
            read = flipsat.Module.read(path)
            self.assertEqual(read.to_proto(), module.to_proto(), name)
            self.assertEqual("proto" in repr(read), ".pb" in name)
        self.assertEqual(gzip.decompress((self.folder / "m.hlo.gz").read_bytes()).decode(), case.GAINS)

    def test_a_file_called_dash(self):
        """No file of that name here: standard input and output are left alone."""
        with self.assertRaisesRegex(flipsat.InputError, "cannot open"):
            flipsat.Module.read("-")

    def test_errors_of_text(self):
        with self.assertRaises(flipsat.InputError) as caught:
            flipsat.Module.parse(case.BROKEN, name="broken.hlo")
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.file, error.line, error.column), ("broken.hlo", 5, 26))
        path = self.write("broken.hlo", case.BROKEN)
        with self.assertRaises(flipsat.InputError) as caught:
            flipsat.Module.read(path)
        done = self.run_words(case.BINARY, "optimize", path)
        self.assertEqual(f"{caught.exception}\n", done.stderr.decode())
        self.assertTrue(str(caught.exception).endswith(error.message))

    def test_errors_of_protos(self):
        data = flipsat.Module.parse(case.GAINS).to_proto()
        for broken in (data[:-3], b"", b"HloModule m", gzip.compress(data)[:-9]):
            with self.assertRaises(flipsat.InputError) as caught:
                flipsat.Module.from_proto(broken, name="m.pb")
            self.assertEqual(caught.exception.file, "m.pb")

    def test_errors_of_files(self):
        with self.assertRaisesRegex(flipsat.InputError, "none.hlo:1:1: error: cannot open"):
            flipsat.Module.read(self.folder / "none.hlo")
        module = flipsat.Module.parse(case.GAINS)
        with self.assertRaisesRegex(flipsat.UsageError, "cannot write"):
            module.write(self.folder / "none" / "m.hlo")
        for name in ("", "m.hlo.bz2"):
            with self.assertRaises(flipsat.UsageError):
                module.write(self.folder / name)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_wrong_types(self):
        for wrong in (b"HloModule m", 1, None):
            with self.assertRaises(TypeError):
                flipsat.Module.parse(wrong)
        with self.assertRaises(TypeError):
            flipsat.Module.from_proto("HloModule m")


if __name__ == "__main__":
    unittest.main()
