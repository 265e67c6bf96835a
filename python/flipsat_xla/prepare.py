"""From a module as XLA prints it to one that XLA:CPU computes rightly: the same values, spelled so
that known gaps and faults of jaxlib are not met. Each function says which.

All functions take and give text in XLA's long form: one instruction a line, `%` before names.
"""

import re
from dataclasses import dataclass

from .groups import with_lists


class CannotRun(Exception):
    """XLA:CPU cannot run the module; the words say why."""


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str  # "bf16"
    dims: tuple


def device_counts(text):
    """(replicas, partitions) as the header says; 1 where it says nothing."""
    header = re.search(r"^HloModule.*", text, re.M)
    header = header[0] if header else ""

    def count(name):
        found = re.search(rf"\b{name}=(\d+)", header)
        return int(found[1]) if found else 1
    return count("replica_count"), count("num_partitions")


def readable(text):
    """What XLA prints and its own parser refuses is taken out; what says nothing is refused."""
    if re.search(r"constant\(\{?\.\.\.\}?\)", text):
        raise CannotRun("a constant is elided ({...})")
    return text.replace(", api_version=API_VERSION_UNSPECIFIED", "")


def _split_tuple(text):
    """'(f32[2]{0}, (s32[], pred[3]))' as nested lists of array shapes without layouts."""
    text = re.sub(r"/\*.*?\*/", "", text).strip()
    if not text.startswith("("):
        return re.sub(r"\{.*\}$", "", text)
    parts, depth, begin = [], 0, 1
    for at, character in enumerate(text):
        depth += character in "([{"
        depth -= character in ")]}"
        if (character == "," and depth == 1) or (depth == 0 and at == len(text) - 1):
            if text[begin:at].strip():
                parts.append(_split_tuple(text[begin:at]))
            begin = at + 1
    return parts


def _spelled(shape):
    return shape if isinstance(shape, str) else "(" + ", ".join(map(_spelled, shape)) + ")"


class _Flattener:
    """Gives the entry array parameters only; a tuple parameter becomes a tuple of new ones."""

    def __init__(self):
        self.parameters = []

    def lines_for(self, name, shape, root):
        lines = []

        def build(shape, name):
            if isinstance(shape, str):
                array = re.fullmatch(r"(\w+)\[([\d,]*)\]", shape)
                if not array:
                    raise CannotRun(f"parameter {name} is a {shape}")
                dims = tuple(int(size) for size in array[2].split(",") if size)
                lines.append(f"{name} = {shape} parameter({len(self.parameters)})")
                self.parameters.append(Parameter(name, array[1], dims))
                return
            parts = [f"{name}.e{number}" for number in range(len(shape))]
            for part, part_name in zip(shape, parts):
                build(part, part_name)
            lines.append(f"{name} = {_spelled(shape)} tuple({', '.join(parts)})")
        build(shape, name)
        if root:
            lines[-1] = "ROOT " + lines[-1]
        return "\n".join("  " + line for line in lines)


def flat_parameters(text):
    """(text, parameters): what is fed are arrays, in the order of the tuples' leaves."""
    header, _, body = text.partition("\n")
    # Aliases and layouts name parameters by number; none changes a value.
    header = ", ".join(part for part in re.split(r", (?=[a-z_]+=)", header)
                       if not part.startswith(("entry_computation_layout", "input_output_alias",
                                               "buffer_donor")))
    lines, places, inside = [], {}, False
    for line in body.split("\n"):
        if line.startswith("ENTRY"):
            inside = True
            line = re.sub(r"^ENTRY (%?[\w.\-]+).*\{$", r"ENTRY \1 {", line)
        elif line.startswith("}"):
            inside = False
        found = inside and re.match(
            r"\s+(ROOT )?(%[\w.\-]+) = (.*?) parameter\((\d+)\)", line)
        if found:
            places[int(found[4])] = (len(lines), found[2], _split_tuple(found[3]), found[1])
        lines.append(line)
    flattener = _Flattener()
    for number in sorted(places):
        at, name, shape, root = places[number]
        lines[at] = flattener.lines_for(name, shape, root)
    return header + "\n" + "\n".join(lines), flattener.parameters


def without_shardings(text):
    """The module is partitioned: what its annotations say was done already."""
    return re.sub(r", sharding=\{(?:[^{}]|\{[^{}]*\})*\}", "", text)


_LINE = r"^(?P<indent>\s+)(?P<root>ROOT )?(?P<name>%[\w.\-]+) = "


def with_wide_dots(text):
    """Operands of f32 dots of bf16 are widened first: XLA:CPU cannot run all of them as they are,
    and the products are the same."""
    types = dict(re.findall(r"^\s+(?:ROOT )?(%[\w.\-]+) = (\w+\[[\d,]*\](?:\{[\d,]*\})?) ", text, re.M))

    def widened(match):
        lines, operands = [], []
        for number, operand in enumerate((match["left"], match["right"])):
            if types.get(operand, "").startswith("bf16["):
                wide = f"{match['name']}.w{number}"
                lines.append(f"{match['indent']}{wide} = f32{types[operand][4:]} convert({operand})")
                operand = wide
            operands.append(operand)
        lines.append(f"{match['indent']}{match['root'] or ''}{match['name']} = {match['type']} "
                     f"dot({', '.join(operands)}){match['rest']}")
        return "\n".join(lines)
    return re.sub(_LINE + r"(?P<type>f32\[[\d,]*\]\S*) dot\((?P<left>%[\w.\-]+), "
                  r"(?P<right>%[\w.\-]+)\)(?P<rest>.*)$", widened, text, flags=re.M)


def without_variadic(text):
    """One collective an operand, and a tuple of them.

    StableHLO has no variadic reduce-scatter or permute, and XLA:CPU (jaxlib 0.10.2) joins the raw
    buffers of a variadic all-gather, which is wrong along a dimension that is not the major one, and
    gives the tuple of a variadic all-reduce that comes from StableHLO no layout.
    """
    def split(match):
        shapes = [_spelled(shape) for shape in _split_tuple(f"({match['shapes']})")]
        operands = re.findall(r"%[\w.\-]+", match["operands"])
        parts = [f"{match['name']}.v{number}" for number in range(len(operands))]
        lines = [f"{match['indent']}{part} = {shape} {match['opcode']}({operand}){match['rest']}"
                 for part, shape, operand in zip(parts, shapes, operands)]
        lines.append(f"{match['indent']}{match['root'] or ''}{match['name']} = "
                     f"({', '.join(shapes)}) tuple({', '.join(parts)})")
        return "\n".join(lines)
    return re.sub(_LINE + r"\((?P<shapes>.*?)\) "
                  r"(?P<opcode>all-gather|all-reduce|reduce-scatter|collective-permute)"
                  r"\((?P<operands>.*?)\)(?P<rest>.*)$", split, text, flags=re.M)


def with_groups_of_all_to_all(text):
    """`replica_groups={}` of an all-to-all is spelled out: XLA prints it there and does not take it."""
    replicas, partitions = device_counts(text)

    def spelled(match):
        count = partitions if "channel_id=" in match[0] else replicas
        ids = ",".join(map(str, range(count)))
        return match[0].replace("replica_groups={}", "replica_groups={{" + ids + "}}")
    return re.sub(r"^.* all-to-all\(.*replica_groups=\{\}.*$", spelled, text, flags=re.M)


def runnable(text):
    """(text, parameters) of a module that XLA printed."""
    text, parameters = flat_parameters(text)
    for step in (without_shardings, with_lists, with_groups_of_all_to_all, with_wide_dots,
                 without_variadic):
        text = step(text)
    return text, parameters


_MANTISSA = {"f64": 53, "c128": 53, "f32": 24, "c64": 24, "f16": 11, "bf16": 8}


def unit_of_sums(*texts):
    """The coarsest rounding unit among the types that collectives add in; f32's where they add
    nothing coarser."""
    types = set()
    for text in texts:
        for shapes in re.findall(r"= (.*?) (?:all-reduce|reduce-scatter)\(", text):
            types.update(re.findall(r"(\w+)\[", shapes))
    bits = [_MANTISSA.get(name, 4) for name in types if name[0] in "fbc"]
    return 2.0 ** -min(bits + [24])
