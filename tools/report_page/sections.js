// The parts of a page, each from one record of the report: that of a module, or the sums of a batch.

function cards(record, head) {
  const objective = OBJECTIVES[head.objective];
  const values = PROGRAMS.map((name) => objective.of(record.programs[name]));
  const bound = record.bound ? record.bound.value : null;
  // A bound that is reached reads as what reaches it; what rounding leaves is no difference.
  const words = toldApart([...values, bound === null || record.gap === 0 ? values[2] : bound], objective.readable);
  const most = Math.max(...values, bound ?? 0);
  const names = ["Before", "Greedy passes", "After", "Bound"];
  const card = (i, kind, value, below) => make(
    "div.card", make("span.name", names[i]), make("b", value === null ? "not known" : words[i]),
    make("span.below", below), bar(kind, value ?? 0, most, ""));
  return make("div.cards",
    card(0, "input", values[0], objective.words + " of the input"),
    card(1, "greedy", values[1], [changeWord(values[0], values[1]), " by the fixed order"]),
    card(2, "output", values[2], [changeWord(values[0], values[2]), " against before"]),
    card(3, "bound", bound, boundWords(record)));
}

function changeWord(before, after) {
  const words = readableChange(before, after);
  return make(after < before ? "span.gain" : after > before ? "span.loss" : "span", words);
}

function boundWords(record) {
  if (record.gap === null) return "no lower bound was found";
  if (record.modules) {
    const without = record.modules.unbounded;
    return "gap " + readableGap(record.gap) +
      (without ? "; " + counted(without, "module") + " without a bound count 0" : "");
  }
  return record.gap === 0 ? "gap 0 %: proved optimal" : "gap " + readableGap(record.gap) + ": none can be below";
}

function figures(record) {
  const programs = PROGRAMS.map((name) => record.programs[name]);
  const rows = [["time", (p) => p.time_us, readableTime]];
  const executed = (words, name, readable) => rows.push([words, (p) => p.executed[name], readable]);
  executed("launches", "launches", readableCount);
  executed("wire bytes", "wire_bytes", readableBytes);
  executed("collectives", "collectives", readableCount);
  executed("gathered", "gathered_bytes", readableBytes);
  executed("reduced", "reduced_bytes", readableBytes);
  if (programs[0].peak_bytes !== undefined) rows.push(["peak of live bytes", (p) => p.peak_bytes, readableBytes]);
  const body = rows.map(([words, of, readable]) => {
    const values = programs.map(of);
    return make("tr", make("th", words), toldApart(values, readable).map((text) => make("td.number", text)),
                make("td.number", changeWord(values[0], values[2])));
  });
  const heads = ["", "before", "greedy", "after", "change"].map((words, i) => make(i ? "th.number" : "th", words));
  return section("Figures", "On each device, as often as loops and calls run it. Time is modelled, for " +
                 "collectives and their surroundings: it is no step time.",
                 scrolled(make("table.figures", make("thead", make("tr", heads)), make("tbody", body))));
}

function leftOut(shown, count) {
  return count > shown ? make("p.quiet", "and " + readableCount(count - shown) + " more, in the JSON report") : null;
}

function keys(record) {
  if (!record.keys.length) return section("Collectives by key", "There are no collectives.");
  const of = (name) => record.keys.map((key) => PROGRAMS.map((program) => key[program][name]));
  const most = (name) => Math.max(...of(name).flat());
  const sorted = [...record.keys].sort((a, b) => weight(b) - weight(a));
  const mostBytes = most("bytes"), mostLaunches = most("launches");
  const rows = sorted.map((key) => {
    const values = (name) => PROGRAMS.map((program) => key[program][name]);
    return make("div.key",
      make("div.key-name", make("b", key.opcode), " " + key.type,
        make("div.quiet", [key.dim === "-" ? "" : "dim " + key.dim + ", ", "groups " + key.groups, make("br"),
                           "count " + values("count").map(readableCount).join(" \u2192 ")])),
      named("bytes", threeBars(values("bytes"), mostBytes, readableBytes)),
      named("launches", threeBars(values("launches"), mostLaunches, readableCount)));
  });
  return section("Collectives by key", "What a combiner may launch together: one opcode, type, dim and grouping. " +
                 "Each instruction counts once; bytes are sizes of arrays, not what goes over the wire.",
                 legend(), make("div.keys", rows),
                 leftOut(record.keys.length, record.keys_count));
}

function weight(key) {
  return Math.max(...PROGRAMS.map((program) => key[program].bytes));
}

function named(words, element) {
  return make("div", make("span.axis", words), element);
}

const RULES_AT_ONCE = 10;

function gainByRule(record) {
  const rules = record.rules.filter((rule) => rule.time_us !== 0).sort((a, b) => b.time_us - a.time_us);
  if (!rules.length) return null;
  const most = Math.max(...rules.map((rule) => Math.abs(rule.time_us)));
  const rows = rules.map((rule) => make("div.rule",
    make("div", code(rule.name), make("span.quiet", " found " + counted(rule.applied, "time"))),
    bar(rule.time_us < 0 ? "loss" : "output", Math.abs(rule.time_us), most,
        rule.time_us < 0 ? "costs " + readableTime(-rule.time_us) : readableTime(rule.time_us))));
  const rest = rows.splice(RULES_AT_ONCE);
  return section("Gain by rule", "Modelled time of the changes that a rule took part in, shared where several did. " +
                 "Each change is priced alone: launched by itself, and once.", make("div.rules", rows),
                 rest.length ? make("details", make("summary", "and " + counted(rest.length, "more", "more")), rest) : null);
}

function changes(record, head) {
  if (!record.changes_count || !record.changes) return null;
  const gain = (change) => change.time_us[0] - change.time_us[1];
  const list = (names) => names.length ? names.join(" ") : "gone";
  const columns = [
    {name: "value", wide: true, value: (c) => c.at, words: (c) => [c.at, c.computation, ...c.from, ...c.to].join(" "),
     cell: (c) => [code(c.at), make("span.quiet", " in " + c.computation),
                   make("div.steps", [list(c.from), " \u2192 ", list(c.to)])]},
    {name: "rules", names: true, value: (c) => c.rules.join(), words: (c) => c.rules.join(" "),
     cell: (c) => c.rules.map((rule) => make("div", code(rule)))},
    {name: "source line", wide: true, value: (c) => c.source || null, words: (c) => c.source,
     cell: (c) => c.source ? make("span.source", c.source) : make("span.quiet", "not told")},
    {name: "wire bytes", number: true, value: (c) => c.bytes[0] - c.bytes[1],
     cell: (c) => beforeAndAfter(c.bytes[0], c.bytes[1], readableBytes)},
    {name: "time", number: true, value: (c) => c.time_us[0], cell: (c) =>
      beforeAndAfter(c.time_us[0], c.time_us[1], readableTime)},
    {name: "gain", number: true, value: gain,
     cell: (c) => make(gain(c) > 0 ? "span.gain" : gain(c) < 0 ? "span.loss" : "span", readableTime(gain(c)))},
  ];
  const sort = head.objective === "bytes" ? 3 : 5;
  return section("Changes", "Values with another definition, each priced alone. The JSON report and --diff have the rest.",
                 new Table(columns, record.changes, {sort, down: true, what: "changes"}).element,
                 leftOut(record.changes.length, record.changes_count));
}

function refusals(record) {
  if (!record.refused.length) return null;
  const columns = [
    {name: "rule", names: true, value: (r) => r.rule, words: (r) => r.rule, cell: (r) => code(r.rule)},
    {name: "why not", wide: true, value: (r) => r.reason, words: (r) => r.reason, cell: (r) => r.reason},
    {name: "places", number: true, value: (r) => r.count, cell: (r) => readableCount(r.count)},
  ];
  return section("Refused", "Places that had the shape of a rule where its condition does not hold.",
                 new Table(columns, record.refused, {sort: 2, down: true, what: "refusals"}).element,
                 leftOut(record.refused.length, record.refused_count));
}

function kept(record) {
  if (!record.kept?.length) return null;
  const more = (site) => site.time_us[1] - site.time_us[0];
  const columns = [
    {name: "value", value: (k) => k.at, words: (k) => k.at, cell: (k) => code(k.at)},
    {name: "rule", names: true, value: (k) => k.rule, words: (k) => k.rule, cell: (k) => code(k.rule)},
    {name: "why it stays", wide: true, value: (k) => k.why, words: (k) => k.why, cell: (k) => WHY_KEPT[k.why] ?? k.why},
    {name: "time as it is", number: true, value: (k) => k.time_us[0], cell: (k) => readableTime(k.time_us[0])},
    {name: "with the rule", number: true, value: (k) => k.time_us[1], cell: (k) => readableTime(k.time_us[1])},
    {name: "more by", number: true, value: more, cell: (k) => readableTime(more(k))},
  ];
  return section("Kept as they were", "Places where a rule holds and the program is better off without it.",
                 new Table(columns, record.kept, {sort: 5, what: "kept places"}).element,
                 leftOut(record.kept.length, record.kept_count));
}

function headroom(record, head) {
  if (record.egraph && !record.egraph.nodes) return null;  // the module was left alone
  const classes = Object.entries(record.headroom);
  const objective = OBJECTIVES[head.objective];
  const now = objective.of(record.programs.output);
  const lead = "What numerics looser than " + head.numerics + " would reach. Not verified.";
  if (!classes.length) return section("Headroom", lead, make("p", "None of them would gain anything."));
  const rows = classes.map(([name, looser]) => {
    const then = objective.ofLooser(looser);
    const words = toldApart([now, then], objective.readable);
    return make("div.rule",
      make("div", code("--numerics " + name),
           looser.modules ? make("span.quiet", " on " + counted(looser.modules, "module")) : null),
      make("div.bars", bar("output", now, now, words[0]),
           bar("bound", then, now, [words[1], " (", readableChange(now, then), ")"])));
  });
  return section("Headroom", lead, make("div.rules", rows));
}

function verification(record) {
  const {how, values, elements, not_checked, not_checked_count} = record.verified;
  const lines = [];
  if (how === "off") {
    lines.push(make("p.loss", "Nothing was verified: --verify off."));
  } else if (values === 0) {
    lines.push(make("p", "Nothing had to be shown: no value changed."));
  } else {
    lines.push(make("p", [make("b", counted(values, "changed value")), " shown equal to what they were, on ",
      make("b", counted(elements, "element")), ", symbolically: on all devices and for all inputs."]));
  }
  if (record.order_open) {
    lines.push(make("p", counted(record.order_open, "change rests", "changes rest") + " on HLO leaving the order of a " +
      "sum open; --bitwise avoids that."));
  }
  if (not_checked_count) {
    lines.push(make("p.loss", counted(not_checked_count, "value") + " could not be checked and stayed as they were."));
  }
  const items = (not_checked ?? []).map((value) => make("li", code(value.at), ": ", value.why));
  return section("Verification", null, lines, items.length ? make("ul", items) : null,
                 leftOut(items.length, not_checked ? not_checked_count : 0));
}

function notes(record) {
  const sentences = [...(record.notes ?? [])];
  if (record.deterministic === false) {
    sentences.push("The time limit was reached: another run may find another program.");
  }
  return sentences.length ? make("ul.notes", sentences.map((note) => make("li", note))) : null;
}
