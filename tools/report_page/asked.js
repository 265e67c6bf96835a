// The parts of a page that are there where an option asks for them.

function asked(record, head) {
  const objective = OBJECTIVES[head.objective];
  const lines = [ordersLine(record.orders, objective), combinedLine(record.combined), solverLine(record.solver)];
  return [
    lines.some(Boolean) ? section("Also asked for", null, lines.map((line) => line && make("p", line))) : null,
    alternatives(record, objective), ...(record.vary ?? []).map(variation),
  ];
}

function ordersLine(orders, objective) {
  if (!orders) return null;
  const [best, worst] = toldApart([orders.best, orders.worst].map(objective.of), objective.readable);
  return "All " + readableCount(orders.order_count) + " orders of the local passes end at " +
    counted(orders.programs, "program") + ", " + (best === worst ? best : best + " to " + worst) +
    (orders.is_output ? "; the output is one of these, or was found from one." : ".");
}

function combinedLine(combined) {
  if (!combined) return null;
  const [walked, planned] = combined.launches;
  return readableCount(walked) + " \u2192 " + readableCount(planned) + " launches with combined collectives (" +
    (planned === combined.bound ? "no packing has fewer" : "no packing has fewer than " + combined.bound) + "); " +
    counted(combined.written, "combined collective") + " written" + (combined.why_not ? ": " + combined.why_not : "") + ".";
}

function solverLine(solver) {
  return solver ? solver.name + " " + solver.version + " was asked about " + counted(solver.asked, "open part") + ": " +
    solver.cheaper + " answers were cheaper, " + solver.proved + " proved, " + solver.refused + " refused." : null;
}

function alternatives(record, objective) {
  if (!record.alternatives?.length) return null;
  const columns = [
    {name: objective.words, number: true, value: objective.of, cell: (a) => objective.readable(objective.of(a), 2)},
    {name: "more", number: true, value: (a) => a.more, cell: (a) => objective.readable(a.more)},
    {name: "launches", number: true, value: (a) => a.executed.launches, cell: (a) => readableCount(a.executed.launches)},
    {name: "wire bytes", number: true, value: (a) => a.executed.wire_bytes,
     cell: (a) => readableBytes(a.executed.wire_bytes)},
    {name: "peak", number: true, value: (a) => a.peak_bytes, cell: (a) => readableBytes(a.peak_bytes)},
    {name: "changes", number: true, value: (a) => a.changes, cell: (a) => a.changes ? readableCount(a.changes) : "the input"},
  ];
  return section("Next best programs", record.alternatives_exact ? "No other program of the e-graph costs less than one " +
                 "of these." : "Those that were found.",
                 new Table(columns, record.alternatives, {sort: 1, what: "programs"}).element,
                 leftOut(record.alternatives.length, record.alternatives_count));
}

function variation({parameter, meaning, note, runs}) {
  const heads = ["value", "time before", "with this program", "with its own", "launches", "wire bytes", "changes", "program"];
  const rows = runs.map((run) => {
    const times = toldApart([run.time_us.input, run.time_us.base, run.time_us.output], readableTime);
    return make("tr", make("th", run.given), times.map((time) => make("td.number", time)),
                make("td.number", readableCount(run.launches)), make("td.number", readableBytes(run.wire_bytes)),
                make("td.number", readableCount(run.changes)), make("td.number", run.same_program ? "this" : "another"));
  });
  return section("With another " + parameter, meaning + (note ? "; " + note : ""), scrolled(make("table.figures",
    make("thead", make("tr", heads.map((words, i) => make(i ? "th.number" : "th", words)))), make("tbody", rows))));
}
