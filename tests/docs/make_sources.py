#!/usr/bin/env python3
"""Makes the program that runs the code blocks of documentation pages (see pages.py).

usage: make_sources.py FOLDER PAGE...

Writes page_NAME.cc for each page and main.cc.
"""

import pathlib
import sys

import pages


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    sources = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for page in sources:
            text = pages.source_of(page, pages.read_blocks(page))
            (folder / f"{pages.function_of(page)}.cc").write_text(text)
    except pages.PageError as error:
        sys.exit(str(error))
    (folder / "main.cc").write_text(pages.main_source(sources))


if __name__ == "__main__":
    main()
