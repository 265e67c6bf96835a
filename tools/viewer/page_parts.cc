#include "tools/viewer/page_parts.h"

namespace flipsat::tools {

std::string_view viewer_style() {
  return R"(
:root { color-scheme: light dark; --page: #fcfcfb; --text: #1c1c1a; --quiet: #62625c;
  --line: #dcdcd6; --box: #ffffff; --around: #f3f3f0; --accent: #b4410e; --out: #fbe9df;
  --in: #e4edf6; --blue: #2f6fb3; --panel: #f5f5f2; }
@media (prefers-color-scheme: dark) {
  :root { --page: #191918; --text: #ecece6; --quiet: #a3a39b; --line: #3f3f3b; --box: #232321;
    --around: #1d1d1c; --accent: #ff9d66; --out: #4a2a17; --in: #22374d; --blue: #6ea8e0;
    --panel: #222220; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem 4rem; background: var(--page);
  color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .1rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: .2rem 0 .4rem; overflow-wrap: anywhere; }
p { margin: .3rem 0 .6rem; max-width: 52rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
a { color: var(--blue); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--quiet); vertical-align: bottom; }
th, td { padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.source { max-width: 26rem; overflow: hidden; text-overflow: ellipsis; color: var(--quiet); }
.mono { font-family: ui-monospace, monospace; font-size: .9em; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .88rem; color: var(--quiet);
  margin: .6rem 0; padding: 0; list-style: none; }
.legend i { display: inline-block; width: 1.5rem; height: .9rem; margin-right: .4rem;
  vertical-align: -2px; border: 1px solid var(--line); border-radius: 3px; }
.legend i.out { background: var(--out); border-color: var(--accent); }
.legend i.in { background: var(--in); }
.legend i.around { background: var(--around); border-style: dashed; }
.pane { overflow: auto; max-height: 46rem; border: 1px solid var(--line); border-radius: 6px;
  margin: .6rem 0; }
svg { display: block; }
svg text { font: 12px ui-monospace, monospace; fill: var(--text); }
svg text.shape, svg text.cost { fill: var(--quiet); }
svg text.name { font-weight: 700; }
.box { fill: var(--box); stroke: var(--line); }
.around .box { fill: var(--around); stroke-dasharray: 4 3; }
.around text { fill: var(--quiet); }
.form { cursor: pointer; }
.form rect { fill: transparent; }
.form.in rect { fill: var(--in); }
.form.out rect { fill: var(--out); }
.form.out text.term { font-weight: 700; }
.form.none text.term { font-style: italic; fill: var(--quiet); }
.form .bar { fill: transparent; }
.form.out .bar { fill: var(--accent); }
.form:hover rect.row, .form:focus rect.row { stroke: var(--blue); stroke-width: 1.5; }
.form:focus { outline: none; }
.form.picked rect.row { stroke: var(--accent); stroke-width: 2; }
.edge { fill: none; stroke: var(--quiet); stroke-opacity: .22; }
.edge.in { stroke-opacity: .55; }
.edge.out { stroke: var(--accent); stroke-opacity: .9; stroke-width: 1.6; }
.edge.lit { stroke: var(--blue); stroke-opacity: 1; stroke-width: 2.4; }
.edge.may { stroke: var(--blue); stroke-dasharray: 5 4; stroke-opacity: .9; }
.panel { background: var(--panel); border-radius: 6px; padding: .7rem .9rem; font-size: .92rem;
  min-height: 3rem; overflow-wrap: anywhere; }
.panel ol { list-style: none; margin: .3rem 0 0; padding: 0; }
.panel li { margin: 0 0 .5rem; }
.panel .term { font-family: ui-monospace, monospace; font-size: .9em; }
.panel .by { color: var(--quiet); margin-left: 1.2rem; }
.panel .by b { color: var(--accent); }
@media (max-width: 40rem) { .pane { max-height: 70vh; } td.source { max-width: 12rem; } }
)";
}

std::string_view viewer_script() {
  return R"(
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const picked = new Map();  // by site: the form that was picked last

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// The terms on the way to a form from the first one of its class, and what leads from each to the next.
function chain(form) {
  const terms = [form.why ? form.why.from : null];
  const steps = [];
  for (const step of form.why ? form.why.steps : []) {
    terms.push(step.term);
    steps.push(step);
  }
  return { terms, steps };
}

function between(a, b) {
  const back = chain(a);
  const forth = chain(b);
  const terms = [...back.terms.reverse(), ...forth.terms.slice(1)];
  // A form without a way is the first itself.
  if (terms[0] === null) terms[0] = b.why ? b.why.from : a.text;
  return { terms, steps: [...back.steps.reverse(), ...forth.steps] };
}

function showWay(panel, way) {
  const list = element("ol");
  const first = element("li");
  first.append(element("div", way.terms[0], "term"));
  list.append(first);
  way.steps.forEach((step, i) => {
    const item = element("li");
    const by = element("div", undefined, "by");
    const rule = data.rules[step.rule];
    if (rule) {
      by.append("by ", element("b", step.rule), ": " + rule.equation + ". " + rule.words);
      if (rule.condition !== "none") by.append(" It holds where, as here: " + rule.condition + ".");
    } else {
      by.append(step.words || "as it was stated");
    }
    item.append(by, element("div", "= " + (way.terms[i + 1] || "..."), "term"));
    list.append(item);
  });
  panel.append(list);
}

function describe(panel, form, before) {
  panel.replaceChildren();
  panel.append(element("h3", form.text));
  const facts = [];
  if (form.input.length) facts.push("in the input as " + form.input.join(", "));
  if (form.output) facts.push("in the output");
  if (form.rule) facts.push("made by " + form.rule);
  facts.push(form.cost);
  if (form.together > 1) facts.push("launched together with " + (form.together - 1) + " others");
  panel.append(element("p", facts.join("; "), "quiet"));
  if (before && before !== form && before.site === form.site && before.cls === form.cls) {
    panel.append(element("p", "Why it is equal to what was picked before:"));
    showWay(panel, between(before, form));
  } else if (form.why) {
    panel.append(element("p", "Why it is equal to the first form:"));
    showWay(panel, chain(form));
    for (const fact of form.why.facts) panel.append(element("p", fact, "quiet"));
  } else {
    panel.append(element("p", "The first form of its value. Pick another form of it to see why both are equal.",
                         "quiet"));
  }
}

function light(form, on) {
  for (const edge of document.querySelectorAll('.edge[data-form="' + form + '"]')) {
    edge.classList.toggle("lit", on);
  }
}

for (const row of document.querySelectorAll(".form")) {
  const number = row.dataset.form;
  const form = data.forms[number];
  const pick = () => {
    const before = picked.get(form.site);
    if (before) document.querySelector('.form[data-form="' + before.number + '"]').classList.remove("picked");
    form.number = number;
    picked.set(form.site, form);
    row.classList.add("picked");
    describe(document.getElementById("panel" + form.site), form, before);
  };
  row.addEventListener("click", pick);
  row.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    pick();
  });
  row.addEventListener("mouseenter", () => light(number, true));
  row.addEventListener("mouseleave", () => light(number, false));
  row.addEventListener("focus", () => light(number, true));
  row.addEventListener("blur", () => light(number, false));
}
for (const number of data.shown) {
  const row = document.querySelector('.form[data-form="' + number + '"]');
  if (row) row.dispatchEvent(new MouseEvent("click"));
}
)";
}

}  // namespace flipsat::tools
