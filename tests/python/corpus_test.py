#!/usr/bin/env python3
"""Every module of the corpus goes through Python as it goes through the program."""

import pathlib
import sys
import unittest

import case
import flipsat

if not case.CORPUS:
    print("skipped: FLIPSAT_CORPUS names no corpus of real modules")
    sys.exit(case.SKIPPED)


class CorpusTest(case.PackageTest):
    def modules(self):
        """Those that can be read."""
        for path in sorted(pathlib.Path(case.CORPUS).rglob("*")):
            if not path.is_file():
                continue
            try:
                yield path, flipsat.Module.read(path)
            except flipsat.InputError:  # no module: the program refuses it too
                self.binary("convert", path, "-", status=3)

    def test_there_and_back(self):
        count = 0
        for path, module in self.modules():
            data = module.to_proto()
            again = flipsat.Module.from_proto(data, name=str(path))
            self.assertEqual(again.to_proto(), data, path)
            text = again.to_text()
            self.assertEqual(flipsat.Module.parse(text).to_text(), text, path)
            # Text of a proto is in the long form, which a proto keeps.
            once_more = flipsat.Module.from_proto(flipsat.Module.parse(text).to_proto())
            self.assertEqual(once_more.to_text(), text, path)
            count += 1
        self.assertGreater(count, 0)
        print(f"counted: {count} modules of the corpus through Python and back")


if __name__ == "__main__":
    unittest.main()
