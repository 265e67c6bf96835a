"""What the TPU compiler says a program takes, from its text and its scheduler's log.

Cycles of a computation are those estimated for its operations, and those in which it waits for collectives that
nothing hides. Computations count as often as they run, as far as the text says.
"""

import re

_COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{$")
_ESTIMATE = re.compile(r'"estimated_cycles":"(\d+)"')
_LOOP = re.compile(r" while\(.*condition=%([\w.\-]+), body=%([\w.\-]+)")
_TRIPS = re.compile(r'known_trip_count"?:\{"?n"?:"?(\d+)')
_CALL = re.compile(r" (?:call|conditional|async-start)\(.*?(?:to_apply|calls|branch_computations)=\{?([%\w.\-, ]+)")
_CONSTANT = re.compile(r"= [su]32\[\][^=]* constant\((\d+)\)")
_COLLECTIVE = re.compile(
    r" (all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute)(?:-start)?\(")
_WAITS = re.compile(r"For computation: ([\w.\-]+), module")
_WASTED = re.compile(r"(?:Total wasted cycles|Wasted cycles for ([\w\-]+)): ([\d.e+]+)")
AFTER = "Statistics after scheduling"


class _Computation:
    def __init__(self):
        self.cycles = 0
        self.inner = []  # (name, times)
        self.constants = []


def _computations(text):
    found, entry, current = {}, None, None
    loops = []
    for line in text.splitlines():
        head = _COMPUTATION.match(line)
        if head:
            current = found.setdefault(head[2], _Computation())
            entry = head[2] if head[1] else entry
            continue
        if current is None:
            continue
        current.cycles += sum(map(int, _ESTIMATE.findall(line)))
        current.constants += map(int, _CONSTANT.findall(line))
        loop = _LOOP.search(line)
        if loop:
            trips = _TRIPS.search(line)
            loops.append((current, loop[1], loop[2], int(trips[1]) if trips else None))
        call = _CALL.search(line)
        if call:
            current.inner += [(name.strip(" %"), 1) for name in call[1].split(",")]
    for computation, condition, body, trips in loops:
        # The bound of a counted loop is the constant of its condition.
        computation.inner.append((body, trips or max(found[condition].constants, default=1)))
    return found, entry


def _waits(log):
    """Cycles that the scheduler did not hide, by computation; and the opcodes that it tells of."""
    waits, told, name = {}, set(), None
    for line in log[log.find(AFTER) if AFTER in log else 0:].splitlines():
        if found := _WAITS.search(line):
            name = found[1]
        elif (found := _WASTED.search(line)) and name:
            if not found[1]:
                waits[name] = float(found[2])
            elif float(found[2]) > 0:
                told.add(found[1])
    return waits, told


def figures(text, log):
    """cycles; of them waiting for collectives; and how many collectives nothing is told of: the scheduler's log
    gives a wait to none of their opcode, which does not mean that they take no time."""
    computations, entry = _computations(text)
    waits, told = _waits(log)
    cycles = waiting = 0
    stack = [(entry, 1)]
    while stack:
        name, times = stack.pop()
        computation = computations.get(name)
        if computation is None:
            continue
        wait = waits.get(name, 0)
        cycles += times * (computation.cycles + wait)
        waiting += times * wait
        stack += [(inner, times * count) for inner, count in computation.inner]
    untold = sum(opcode not in told for opcode in _COLLECTIVE.findall(text))
    return {"cycles": cycles, "waiting": waiting, "untold": untold}
