// Elements are made here and nowhere else, and text goes into them as text.

// make("td.number", "12"): an element with classes; children are elements or text.
function make(kind, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  fill(element, children);
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === "") continue;
    element.append(child instanceof Node ? child : visible(child));
  }
}

function replace(element, ...children) {
  element.textContent = "";
  fill(element, children);
}

function button(kind, words, onClick) {
  const element = make("button" + kind, words);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

function section(title, lead, ...children) {
  const element = make("section", make("h2", title), lead ? make("p.lead", lead) : null, children);
  element.dataset.title = title;
  return element;
}

function scrolled(...children) {
  return make("div.wide", children);
}

// A thin bar on a track, with its figure beside it.
function bar(kind, value, most, words) {
  const filled = make("i." + kind);
  filled.style.width = most > 0 ? Math.max(value > 0 ? 0.6 : 0, 100 * value / most) + "%" : "0";
  return make("div.bar", make("span.track", filled), make("span.figure", words));
}

function threeBars(values, most, readable) {
  const words = toldApart(values, readable);
  return make("div.bars", values.map((value, i) => bar(PROGRAMS[i], value, most, words[i])));
}

function legend() {
  return make("p.legend", [["input", "before"], ["greedy", "greedy passes"], ["output", "after"]].map(
    ([kind, words]) => make("span", make("i." + kind), words)));
}

function beforeAndAfter(before, after, readable) {
  const words = toldApart([before, after], readable);
  return before === after ? words[0] : words[0] + " \u2192 " + words[1];
}

function code(text) {
  return make("code", text);
}
