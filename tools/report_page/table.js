// Tables that are sorted by their heads, filtered by words, and walked by keys. Rows are made as they come
// into view: a table of thousands is as quick as one of ten.

const ROWS_AT_ONCE = 100;
const LEAST_TO_FILTER = 5;

// columns: {name, value(row): what it is sorted by, cell(row): what is shown, words(row): what the filter
//           looks at; number, wide, names: how it is set}
// options: {sort: a column's number, down: whether the greatest stands first, open(row, element), kinds: {words:
//           (row) => whether it is one}, what: the plural of a row}
class Table {
  constructor(columns, rows, options) {
    Object.assign(this, {columns, rows, options, sort: options.sort ?? 0, down: options.down ?? false});
    this.shown = [];
    this.made = 0;
    this.kind = null;
    this.texts = new Map();
    this.body = make("tbody");
    this.more = make("div.more");
    this.count = make("output.count");
    this.filter = make("input.filter");
    this.filter.type = "search";
    this.filter.placeholder = "Filter " + options.what;
    this.filter.setAttribute("aria-label", "Filter " + options.what);
    this.filter.addEventListener("input", () => this.update());
    this.heads = columns.map((column, i) => this.head(column, i));
    const table = make("table.rows" + (options.open ? ".opens" : ""),
                       make("thead", make("tr", this.heads)), this.body);
    this.box = make("div.box", table, this.more);
    this.box.addEventListener("scroll", () => this.fillView());
    const tools = rows.length > LEAST_TO_FILTER ? make("div.tools", this.filter, this.kinds(), this.count) : null;
    this.element = make("div.table", tools, this.box);
    this.element.table = this;
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.update();
  }

  head(column, i) {
    const sorter = button("", column.name, () => {
      this.down = this.sort === i ? !this.down : Boolean(column.number);
      this.sort = i;
      this.update();
    });
    const head = make("th" + (column.number ? ".number" : ""), sorter);
    head.scope = "col";
    return head;
  }

  kinds() {
    if (!this.options.kinds) return null;
    const all = Object.entries({all: () => true, ...this.options.kinds});
    this.kindButtons = all.map(([words, is]) => {
      const count = this.rows.filter(is).length;
      if (count === 0 && words !== "all") return null;
      const chip = button(".chip", [words + " ", make("b", readableCount(count))], () => {
        this.kind = is;
        for (const other of this.kindButtons) other?.setAttribute("aria-pressed", String(other === chip));
        this.update();
      });
      chip.setAttribute("aria-pressed", String(words === "all"));
      return chip;
    });
    return make("div.chips", this.kindButtons);
  }

  textOf(row) {
    if (!this.texts.has(row)) {
      this.texts.set(row, this.columns.map((column) => column.words?.(row) ?? "").join(" ").toLowerCase());
    }
    return this.texts.get(row);
  }

  // Rows that pass the filter, in order.
  update() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = this.rows.filter((row) => (!this.kind || this.kind(row)) &&
                                  words.every((word) => this.textOf(row).includes(word)));
    const value = this.columns[this.sort].value;
    const sign = this.down ? -1 : 1;
    this.shown = kept.map((row) => [value(row), row]).sort(([a], [b]) => {
      if (a === b) return 0;
      if (a === null) return 1;  // what has no figure stands last
      if (b === null) return -1;
      return a < b ? -sign : sign;
    }).map(([, row]) => row);
    this.heads.forEach((head, i) => head.setAttribute(
      "aria-sort", i !== this.sort ? "none" : this.down ? "descending" : "ascending"));
    this.count.textContent = kept.length === this.rows.length ? "" :
      readableCount(kept.length) + " of " + counted(this.rows.length, this.options.what, this.options.what);
    this.body.textContent = "";
    this.made = 0;
    this.box.scrollTop = 0;
    this.makeRows(ROWS_AT_ONCE);
  }

  makeRows(count) {
    const end = Math.min(this.shown.length, this.made + count);
    for (; this.made < end; ++this.made) this.body.append(this.rowElement(this.shown[this.made]));
    this.more.textContent = this.shown.length === 0 ? "none" :
      end < this.shown.length ? readableCount(this.shown.length - end) + " more below" : "";
    if (this.made > 0 && !this.body.querySelector('[tabindex="0"]')) this.body.firstChild.tabIndex = 0;
  }

  fillView() {
    const {scrollTop, clientHeight, scrollHeight} = this.box;
    if (this.made < this.shown.length && scrollTop + 2 * clientHeight > scrollHeight) {
      this.makeRows(ROWS_AT_ONCE);
    }
  }

  rowElement(row) {
    const cells = this.columns.map((column) => {
      const kind = (column.number ? ".number" : "") + (column.wide ? ".words" : "") + (column.names ? ".names" : "");
      const cell = make("td" + kind, column.cell(row));
      cell.dataset.head = column.name;
      return cell;
    });
    const element = make("tr", cells);
    element.tabIndex = -1;
    element.row = row;
    return element;
  }

  clicked(event) {
    const element = event.target.closest("tr");
    if (!element) return;
    this.select(element);
    if (this.options.open && !event.target.closest("a")) this.options.open(element.row);
  }

  select(element) {
    this.body.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    element.tabIndex = 0;
    element.focus({preventScroll: true});
    element.scrollIntoView({block: "nearest"});
  }

  // The row `step` further than the one that has the focus; the first or the last where that is past the end.
  move(step) {
    const rows = this.body.children;
    const now = document.activeElement?.closest?.("tr");
    const at = now?.parentElement === this.body ? now.sectionRowIndex + step :
      this.body.querySelector('[tabindex="0"]')?.sectionRowIndex ?? 0;
    if (at >= this.made) this.makeRows(Math.max(ROWS_AT_ONCE, at + 1 - this.made));
    const row = rows[Math.max(0, Math.min(at, rows.length - 1))];
    if (row) this.select(row);
  }

  // Focuses a row by what it shows, made if it has to be.
  reveal(row) {
    const at = this.shown.indexOf(row);
    if (at < 0) return;
    if (at >= this.made) this.makeRows(at + 1 - this.made);
    this.select(this.body.children[at]);
  }
}
