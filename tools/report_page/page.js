// The page itself: a module, or a batch with the module that was opened.

const data = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const headline = document.getElementById("headline");

// The folder that all inputs of a batch share is told once.
const folder = data.overall ? sharedFolder(data.records.map((record) => record.input)) : "";
const nameOf = (record) => record.input.slice(folder.length);

function sharedFolder(paths) {
  if (paths.length < 2) return "";
  let shared = paths[0].slice(0, paths[0].lastIndexOf("/") + 1);
  for (const path of paths) {
    while (!path.startsWith(shared)) shared = shared.slice(0, shared.lastIndexOf("/", shared.length - 2) + 1);
  }
  return shared;
}

function options() {
  const {numerics, combiner, machine, objective} = data.head;
  return ["numerics " + numerics, "combiner " + combiner, "machine " + machine, "objective " + objective];
}

function facts(...words) {
  return make("p.facts", words.flat().filter(Boolean).map((word) => make("span", word)));
}

function devices({replicas, partitions, known, source, finite, replicated}) {
  return [known ? counted(replicas, "replica") + " x " + counted(partitions, "partition") + " (" + source + ")"
            : "number of devices not known",
          finite ? "floats taken as finite" : "",
          replicated.length ? "taken as replicated: " + replicated.join(", ") : ""];
}

const ORIGINS = {input: "as it was", greedy: "from an order of the local passes", egraph: "from the e-graph"};

function searched({nodes, classes, iterations, stop}) {
  return nodes ? [counted(nodes, "e-node") + " in " + counted(classes, "class", "classes"),
                  counted(iterations, "iteration") + ", " + stop] : [];
}

function moduleView(record) {
  if (record.error !== undefined) {
    return make("div", facts(make("b", nameOf(record))), section("Failed", null, make("pre.error", record.error)));
  }
  return make("div",
    facts(make("b", nameOf(record)), devices(record.assumed), options()), notes(record), cards(record, data.head),
    make("div.beside", make("div", gainByRule(record), headroom(record, data.head)), figures(record)), keys(record),
    changes(record, data.head), verification(record), asked(record, data.head), kept(record), refusals(record),
    facts("the program is " + ORIGINS[record.origin], searched(record.egraph)));
}

const gainOf = (record) => {
  const [before, after] = ["input", "output"].map((name) => OBJECTIVES[data.head.objective].of(record.programs[name]));
  return before > 0 ? (after - before) / before : 0;
};
const isLeftAlone = (record) => record.error === undefined && record.bound === null && record.origin === "input";
const KINDS = {
  "improved": (record) => record.error === undefined && gainOf(record) < 0,
  "proved optimal": (record) => record.error === undefined && record.gap === 0,
  "not proved": (record) => record.error === undefined && record.gap !== 0 && !isLeftAlone(record),
  "left alone": isLeftAlone,
  "failed": (record) => record.error !== undefined,
};

function stateOf(record) {
  if (record.error !== undefined) return ["failed", "loss"];
  if (isLeftAlone(record)) return ["left alone", "quiet"];
  if (record.gap === 0) return [gainOf(record) < 0 ? "optimal" : "was optimal", "proof"];
  return [record.gap === null ? "no bound" : "gap " + readableGap(record.gap), "quiet"];
}

function moduleTable() {
  const numbers = new Map(data.records.map((record, i) => [record, i]));
  const ok = (of) => (record) => record.error === undefined ? of(record) : null;
  const time = (name) => ok((record) => record.programs[name].time_us);
  const timeColumn = (words, name) => ({name: words, number: true, value: time(name), cell: ok((record) =>
    readableTime(time(name)(record)))});
  const twoColumn = (words, figure, readable) => {
    const value = (name) => ok((record) => record.programs[name].executed[figure]);
    return {name: words, number: true, value: value("input"), cell: ok((record) =>
      beforeAndAfter(value("input")(record), value("output")(record), readable))};
  };
  const link = (record) => {
    const anchor = make("a", nameOf(record));
    anchor.href = "#" + (numbers.get(record) + 1);
    anchor.tabIndex = -1;
    return anchor;
  };
  const {words, of} = OBJECTIVES[data.head.objective];
  const columns = [
    {name: "module", wide: true, value: nameOf, words: (r) => r.input, cell: link},
    timeColumn("time before", "input"), timeColumn("greedy", "greedy"), timeColumn("after", "output"),
    {name: words === "time" ? "change" : "change of " + words, number: true, value: ok(gainOf), cell: ok((r) =>
      changeWord(of(r.programs.input), of(r.programs.output)))},
    {name: "state", value: (r) => r.error !== undefined ? 3 : isLeftAlone(r) ? 2 : r.gap ?? 1,
     words: (r) => stateOf(r)[0] + " " + (r.error ?? "") + " " + (r.notes ?? []).join(" "), cell: (r) => {
       const [state, kind] = stateOf(r);
       return make("span.state." + kind, state);
     }},
    twoColumn("launches", "launches", readableCount), twoColumn("wire bytes", "wire_bytes", readableBytes),
    {name: "changes", number: true, value: ok((r) => r.changes_count), cell: ok((r) => readableCount(r.changes_count))},
  ];
  return new Table(columns, data.records, {sort: 4, kinds: KINDS, what: "modules", open: (record) => {
    location.hash = "#" + (numbers.get(record) + 1);
  }});
}

function failures() {
  const failed = data.records.filter(KINDS.failed);
  if (!failed.length) return null;
  const columns = [
    {name: "module", wide: true, value: nameOf, words: (r) => r.input, cell: nameOf},
    {name: "error", wide: true, value: (r) => r.error, words: (r) => r.error, cell: (r) => r.error},
  ];
  return section("Failed", "Nothing was written for these.", new Table(columns, failed, {what: "failures"}).element);
}

function batchView(table) {
  const record = data.overall;
  return make("div",
    facts(folder, options()), cards(record, data.head), section("Modules", null, table.element), failures(),
    make("div.beside", make("div", gainByRule(record), headroom(record, data.head)), figures(record)), keys(record),
    verification(record), refusals(record));
}

// Light and dark: as the reader's system has it, or as was chosen here.
function themeButton() {
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const toggle = button(".theme", "", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    say();
    try {
      localStorage.setItem("flipsat-theme", root.dataset.theme);
    } catch { /* pages of files may have no storage */ }
  });
  const say = () => replace(toggle, dark() ? "Light" : "Dark");
  try {
    const chosen = localStorage.getItem("flipsat-theme");
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  } catch { /* as above */ }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
  say();
  return toggle;
}

const KEYS = "Keys: / filters, j and k or arrows move between rows";
const table = data.overall ? moduleTable() : null;
const whole = data.overall ? batchView(table) : moduleView(data.records[0]);
const wholeHeadline = headline.textContent;

// Figures keep their units in one line, and arrows are not broken.
function setHeadline(text) {
  replace(headline, text.replaceAll(" -> ", " \u2192 ").replace(/(\d) (?=%|us|ms|s\b|[KMGTPE]?i?B)/g, "$1\u00a0"));
}

let opened = null;

function show() {
  const number = data.overall ? Number(location.hash.slice(1)) : 0;
  const record = Number.isInteger(number) ? data.records[number - 1] : undefined;
  const was = opened;
  opened = data.overall && record ? record : null;
  if (!opened) {
    setHeadline(wholeHeadline);
    replace(page, whole);
    if (was) table.reveal(was);
    return;
  }
  const back = button(".back", "\u2190 All modules", close);
  setHeadline(opened.error === undefined ? opened.headline : "failed");
  replace(page, back, moduleView(opened));
  scrollTo(0, 0);
  back.focus({preventScroll: true});
}

function close() {
  location.hash = "";
}

function firstTable() {
  return page.querySelector(".table")?.table;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inFilter = event.target.matches("input");
  const own = event.target.closest(".table")?.table;
  const row = event.target.closest("tbody tr");
  if (event.key === "Escape") {
    if (inFilter && event.target.value) {
      event.target.value = "";
      own.update();
    } else if (inFilter) {
      event.target.blur();
    } else if (opened) {
      close();
    } else {
      return;
    }
  } else if (inFilter) {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    own.move(0);
  } else if (event.key === "/") {
    (own?.element ?? page).querySelector(".filter")?.focus();
  } else if (event.key === "j" || event.key === "k" || (row && (event.key === "ArrowDown" || event.key === "ArrowUp"))) {
    (own ?? firstTable())?.move(event.key === "j" || event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && row && own.options.open && event.target === row) {
    own.options.open(row.row);
  } else {
    return;
  }
  event.preventDefault();
}

fill(document.getElementById("top"), [make("span.brand", "flipsat " + data.head.flipsat), themeButton()]);
page.after(make("footer", KEYS + (data.overall ? ", Enter opens a module, Esc goes back." : ", Esc clears.")));
document.addEventListener("keydown", onKey);
addEventListener("hashchange", show);
show();
