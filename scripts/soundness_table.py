"""Puts what the rule harness counted between the marks of a page.

    python3 scripts/soundness_table.py rules|passes TABLE PAGE

TABLE is what tests/rules/harness_test.cc writes (a line a rule and direction, then an indented one for each
reason to refuse that hit something right), or tests/rules/seed_passes_test.cc (a line a pass).
"""
import sys

BEGIN = "<!-- harness -->\n"
END = "<!-- end of harness -->\n"

COLUMNS = ["cases", "fired", "wrong", "refused, wrong", "trivial", "refused though right"]


PASS_COLUMNS = ["programs", "matched", "ill-formed", "other bits", "wrong", "missed", "sound fires"]


def render_passes(lines):
    text = f"| pass | {' | '.join(PASS_COLUMNS)} | smallest wrong |\n"
    text += f"|---|{'---:|' * len(PASS_COLUMNS)}---|\n"
    for line in lines:
        name, *numbers, smallest = line.rstrip("\n").split("\t")
        text += f"| `{name}` | {' | '.join(f'{int(number):,}' for number in numbers)} | {smallest} |\n"
    return text


def render(lines):
    rows = []
    for line in lines:
        fields = line.rstrip("\n").split("\t")
        if fields[0]:
            rows.append((fields[0], fields[1], [int(number) for number in fields[2:]], []))
        else:
            rows[-1][3].append((int(fields[1]), fields[2], fields[3]))
    text = f"| rule | direction | {' | '.join(COLUMNS)} |\n|---|---|{'---:|' * len(COLUMNS)}\n"
    totals = [0] * len(COLUMNS)
    for rule, direction, numbers, _ in rows:
        text += f"| `{rule}` | {direction} | {' | '.join(f'{number:,}' for number in numbers)} |\n"
        totals = [a + b for a, b in zip(totals, numbers)]
    text += f"| all | | {' | '.join(f'{number:,}' for number in totals)} |\n"
    text += "\nRefused though right, and why:\n"
    for rule, direction, _, reasons in rows:
        if not reasons:
            continue
        text += f"\n`{rule}` {direction}\n"
        for count, reason, sentence in reasons:
            text += f"- {count:,} *{reason}*: {sentence}.\n"
    return text


def main(kind, table, page):
    with open(table, encoding="utf-8") as file:
        rendered = (render_passes if kind == "passes" else render)(file.readlines())
    with open(page, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    with open(page, "w", encoding="utf-8") as file:
        file.write(head + BEGIN + rendered + END + tail)


if __name__ == "__main__":
    main(*sys.argv[1:])
