"""The code blocks of a documentation page, and the program that runs them.

    ```cpp          statements: a function of their own
    ```cpp more     statements that go on where the last block ended
    ```cpp file     declarations, seen by all blocks of the page
    ```text         right after a block: what it prints; a block without one prints nothing

The same after `<!--` instead of the fence, up to `-->`, is code that the reader is not shown. Blocks in
other languages are left alone.
"""

import dataclasses
import re

FENCE = re.compile(r"^(?:```|<!--)\s*cpp(?:\s+(more|file))?\s*$")
OTHER_FENCE = re.compile(r"^```(.*)$")
MARK = "\x1e"  # before a block's number, in what a page's program prints


@dataclasses.dataclass
class Block:
    line: int  # of its first line of code
    scope: str  # "", "more" or "file"
    code: list
    expected: str = ""
    output_line: int = 0  # of the first line expected; 0: no output is shown


class PageError(Exception):
    pass


def read_blocks(page):
    """The blocks of a page, in order."""
    blocks = []
    lines = page.read_text().splitlines()
    may_be_output = False  # nothing but blank lines since the last block
    at = 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        other = OTHER_FENCE.match(lines[at])
        if not fence and not other:
            may_be_output = may_be_output and not lines[at].strip()
            at += 1
            continue
        is_fenced = other is not None
        begin = at + 1
        at = begin
        while at < len(lines) and not (
                lines[at].strip() == "```" if is_fenced else lines[at].strip() == "-->"):
            at += 1
        if at == len(lines):
            raise PageError(f"{page.name}:{begin}: this block does not end")
        body = lines[begin:at]
        at += 1
        if fence:
            blocks.append(Block(begin + 1, fence.group(1) or "", body))
            may_be_output = True
        elif other.group(1).strip().startswith("cpp"):
            raise PageError(f"{page.name}:{begin}: no such block: {other.group(1)}")
        elif other.group(1).strip() == "text" and may_be_output:
            blocks[-1].expected = "".join(line + "\n" for line in body)
            blocks[-1].output_line = begin + 1
            may_be_output = False
        else:
            may_be_output = False
    return blocks


def source_of(page, blocks):
    """A translation unit with the function `page_NAME`, which runs the blocks."""
    place = f'"{page}"'
    includes, declared, functions = [], [], []
    for number, block in enumerate(blocks):
        code = [line for line in block.code if not line.startswith("#include")]
        includes += [line for line in block.code if line.startswith("#include")]
        numbered = [f"#line {block.line + len(block.code) - len(code)} {place}"] + code
        if block.scope == "file":
            declared += numbered
            continue
        mark = f'std::cout << "\\x1e" "{number}\\n";'
        if block.scope == "more":
            if not functions:
                raise PageError(f"{page.name}:{block.line}: there is no block to go on from")
            functions[-1] += [mark] + numbered
        else:
            functions.append([mark] + numbered)
    name = function_of(page)
    source = ['#include "tests/docs/all_headers.h"', *includes,
              "namespace {", "using namespace flipsat::egraph;", *declared]
    for number, body in enumerate(functions):
        source += [f"void block_{number}() {{", *body, "}"]
    source += ["}  // namespace", f"void {name}();", f"void {name}() {{"]
    source += [f"  block_{number}();" for number in range(len(functions))]
    return "\n".join(source + ["}", ""])


def function_of(page):
    return "page_" + re.sub(r"\W", "_", page.stem)


def main_source(pages):
    """`main`, which runs the page that its argument names."""
    source = ["#include <iostream>", "#include <string_view>"]
    source += [f"void {function_of(page)}();" for page in pages]
    source += ["int main(int, char** arguments) {", "  const std::string_view page = arguments[1];"]
    source += [f'  if (page == "{page.stem}") return {function_of(page)}(), 0;' for page in pages]
    return "\n".join(source + ["  return 2;", "}", ""])


def outputs_of(printed):
    """What each block printed, by its number."""
    parts = [part.split("\n", 1) for part in printed.split(MARK)[1:]]
    return {int(number): text for number, text in parts}


def faults_of(page, blocks, printed):
    """Each block whose output is not what the page says, as text."""
    outputs = outputs_of(printed)
    faults = []
    before = printed.split(MARK)[0]
    if before:
        faults.append(f"{page.name}: printed outside of all blocks:\n{before}")
    for number, block in enumerate(blocks):
        if block.scope == "file":
            continue
        got = outputs.get(number)
        if got is None:
            faults.append(f"{page.name}:{block.line}: did not run")
        elif got.rstrip() != block.expected.rstrip():
            faults.append(f"{page.name}:{block.line}: prints\n{got}instead of\n{block.expected}")
    return faults
