"""Results in notebooks. All text that comes from a module is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flipsat._report import Program
    from flipsat._result import Result

MOST_CHANGES = 50


def of_result(result: Result) -> str:
    """A headline, what the programs cost, the changes, and the table of the command to unfold."""
    programs = (result.input, result.greedy, result.output)
    parts = [f"<p><b>{html.escape(result.headline)}</b></p>",
             table(("", "input", "greedy", "output"), figures(programs))]
    if result.changes:
        rows = [(change.at, change.computation, ", ".join(change.rules), " ".join(change.replaced),
                 " ".join(change.by), change.source) for change in result.changes[:MOST_CHANGES]]
        parts.append(table(("at", "computation", "rules", "instead of", "now", "source"), rows))
        more = len(result.changes) - len(rows)
        if more > 0:
            parts.append(f"<p>and {more} more changes</p>")
    parts.append(f"<details><summary>All figures</summary><pre>{html.escape(result.table())}</pre></details>")
    return "\n".join(parts)


def figures(programs: Iterable[Program]) -> list[tuple[str, ...]]:
    """A row each figure."""
    programs = tuple(programs)
    opcodes = sorted({opcode for program in programs for opcode in program.by_opcode})
    rows = [(opcode, *(str(program.by_opcode[opcode].count) if opcode in program.by_opcode else "0"
                       for program in programs)) for opcode in opcodes]
    rows.append(("launches", *(str(program.launches) for program in programs)))
    rows.append(("wire bytes", *(f"{program.wire_bytes:,}" for program in programs)))
    rows.append(("time (us)", *(f"{program.time_us:,.6g}" for program in programs)))
    rows.append(("peak bytes", *(f"{program.peak_bytes:,}" for program in programs)))
    return rows


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are text, which is escaped here."""
    lines = ["<table>", row(head, "th"), *(row(cells, "td") for cells in rows), "</table>"]
    return "\n".join(lines)


def row(cells: Iterable[str], kind: str) -> str:
    return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"
