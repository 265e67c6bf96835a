#!/usr/bin/env python3
"""The HTML report in Chromium: what it shows, that texts of modules stay texts, keys, widths, dark and light."""

import copy
import unittest

from browser import DESKTOP, HOSTILE, PHONE, POLICY, BrowserTest, Dom
from runner import ROOT

EXAMPLE = ROOT / "examples" / "fsdp_layer.hlo"
SECTIONS = ["Gain by rule", "Figures", "Collectives by key", "Changes", "Headroom", "Verification",
            "Kept as they were", "Refused"]

# Words of a report that decide what the page does; all others may be anything.
WORDS_OF_OURS = {"objective"}


def spoiled(value, name=""):
    """A report with something hostile in every text and in every name that a rule file or a module gives."""
    if isinstance(value, str):
        return value if name in WORDS_OF_OURS else f"{name}:{HOSTILE}"
    if isinstance(value, list):
        return [spoiled(item, name) for item in value]
    if isinstance(value, dict):
        free = name in ("refused", "headroom")
        return {f"{key}:{HOSTILE}" if free else key: spoiled(part, key) for key, part in value.items()}
    return value


def batch_of(records):
    first = records[0]
    return {name: first[name] for name in ["flipsat", "schema", "numerics", "combiner", "machine", "objective"]} | {
        "records": records}


def many(report, count):
    """So many modules that differ in name and time; the last one failed."""
    records = []
    for i in range(count - 1):
        record = copy.deepcopy(report)
        record["input"] = f"run/folder_{i % 7}/module_{i:04}.hlo"
        record["programs"]["output"]["time_us"] = 10 + (i * 7919) % 100
        record["headline"] = f"headline of {i}"
        records.append(record)
    records.append({"flipsat": report["flipsat"], "schema": 1, "input": "run/broken.hlo",
                    "error": "run/broken.hlo:5:26: error: expected a name"})
    return batch_of(records)


class Shows(BrowserTest):
    def test_an_example(self):
        page, report = self.optimize(EXAMPLE)
        dom = self.dom(page)
        self.assertEqual(dom.title, f"flipsat: {EXAMPLE}")
        shown = [report["headline"].replace("->", "\u2192"), "82.8 us", "gap 0 %: proved optimal", "reduce-own-shard", "56.3 us",
                 "16 changed values", "--bitwise", *(change["source"] for change in report["changes"]),
                 *(change["at"] for change in report["changes"]),
                 *(reason for rule in report["rules"] for reason in rule["refused"])]
        for words in [*SECTIONS, *shown]:
            self.assertIn(words, dom.text)
        self.assertEqual(dom.tags.count("script"), 2)

    def test_only_the_report_makes_the_page(self):
        page, report = self.optimize(EXAMPLE)
        self.assertEqual(page, self.page_of(report))
        self.assertNotIn("://", page)
        again, _ = self.optimize(EXAMPLE)
        self.assertEqual(page, again)

    def test_counts_and_order(self):
        page, report = self.optimize(EXAMPLE)
        rows, keys, gains = self.probe(page, """
          const table = [...document.querySelectorAll("section")].find((s) => s.dataset.title === "Changes");
          return [table.querySelectorAll("tbody tr").length, document.querySelectorAll(".key").length,
                  [...table.querySelectorAll("tbody tr")].map((tr) => tr.row.time_us[0] - tr.row.time_us[1])];""")
        self.assertEqual((rows, keys), (len(report["changes"]), len(report["keys"])))
        self.assertEqual(gains, sorted(gains, reverse=True))

    def test_nothing_to_gain_and_left_alone(self):
        page, report = self.optimize(ROOT / "examples" / "grad_accumulation.hlo")
        self.assertEqual(report["changes"], [])
        dom = self.dom(page)
        for words in ["nothing to gain, proved", "Nothing had to be shown", "it would cost more"]:
            self.assertIn(words, dom.text)
        text = EXAMPLE.read_text().replace("HloModule jit_train_step,",
                                           "HloModule jit_train_step, is_scheduled=true,", 1)
        page, report = self.optimize(self.write("scheduled.hlo", text))
        self.assertIsNone(report["bound"])
        dom = self.dom(page)
        for words in [*report["notes"], "not known", "no lower bound was found"]:
            self.assertIn(words, dom.text)

    def test_objectives(self):
        for objective, words in [("bytes", "15.8 MiB"), ("launches", "launches of the input")]:
            page, _ = self.optimize(EXAMPLE, "--objective", objective)
            self.assertIn(words, self.dom(page).text)

    def test_what_options_ask_for(self):
        page, report = self.optimize(EXAMPLE, "--beat-orders", "--alternatives", "3", "--emit-combined",
                                     "--vary", "alpha=0.5x,7", "--assume-replicated", "w_q")
        text = self.dom(page).text
        for words in [f"All 720 orders of the local passes end at {report['orders']['programs']} program",
                      "Next best programs", "launches with combined collectives", "With another alpha", "0.5x",
                      report["vary"][0]["meaning"], "taken as replicated: w_q"]:
            self.assertIn(words, text)
        self.assertEqual(page, self.page_of(report))

    def test_without_a_script(self):
        page, report = self.optimize(EXAMPLE)
        text = Dom(page).text
        for words in [report["headline"], "134 us", "117 us", "82.8 us", "31.5 MiB"]:
            self.assertIn(words, text)


class Escapes(BrowserTest):
    """The title is what a page's script would have to change for the hostile texts to have run."""

    def check(self, page):
        dom = self.dom(self.without_policy(page))
        self.assertTrue(dom.title.startswith("flipsat: "), dom.title)
        self.assertEqual(dom.tags.count("script"), 2)
        self.assertNotIn("img", dom.tags)
        self.assertEqual({name for name in dom.attributes if name.startswith("on")}, set())
        return dom

    def test_a_module_named_like_a_script(self):
        text = EXAMPLE.read_text()
        words = "<script>document.title='hit'</script>"
        text = text.replace('op_name="', f'op_name="{words}').replace('source_file="', f'source_file="{words}')
        self.assertIn(words, text)
        module = self.write(f"{words}.hlo", text)
        dom = self.check(self.optimize(module)[0])
        self.assertIn(f"{words}model/layer.py:22 ({words}jit(train_step)", dom.text)
        self.assertIn(f"{words}.hlo", dom.text)
        self.assertIn(f"{words}.hlo", dom.title)

    def test_bytes_that_are_no_text(self):
        text = EXAMPLE.read_bytes().replace(b'op_name="', b'op_name="\xff\xfe<b>').replace(
            b'source_file="', b'source_file="\xc3(')
        dom = self.check(self.optimize(self.write("m.hlo", text))[0])
        self.assertIn("\ufffd(model/layer.py:22 (\ufffd\ufffd<b>jit(train_step)", dom.text)

    def test_any_text_of_a_report(self):
        _, report = self.optimize(EXAMPLE)
        report["notes"] = ["a note"]
        report["verified"]["not_checked"] = [{"at": "%x", "why": "a reason"}]
        report["headroom"] = {"reassoc": {"time_us": 1, "launches": 1, "wire_bytes": 1,
                                          "executed": report["programs"]["output"]["executed"]}}
        bad = spoiled(report)
        dom = self.check(self.page_of(bad))
        visible = HOSTILE.replace("\u2028", "\\u2028")
        for name in ["headline", "notes", "at", "why", "rules", "from", "to", "computation", "opcode", "type", "groups",
                     "source", "rule", "name", "reassoc", "input", "stop", "numerics"]:
            self.assertIn(f"{name}:{visible}", dom.text)
        failed = {"flipsat": "0", "schema": 1, "input": f"x/{HOSTILE}", "error": f"error:{HOSTILE}"}
        dom = self.check(self.page_of(batch_of([bad, failed])))
        self.assertIn(f"error:{visible}", dom.text)
        self.assertIn(f"x/{visible}", dom.text)

    def test_letters_that_are_not_seen(self):
        _, report = self.optimize(EXAMPLE)
        report["changes"][0]["source"] = "turn\u202earound\u0000zero\ufeffmark\u0085\U0001f600"
        text = self.dom(self.page_of(report)).text
        self.assertIn("turn\\u202earound\\u0000zero\\ufeffmark\\u0085\U0001f600", text)

    def test_the_policy_holds(self):
        page, _ = self.optimize(EXAMPLE)
        foreign = page.replace("</body>", "<script>document.title='hit'</script><img src=x onerror=\""
                               "document.title='hit'\"></body>")
        self.assertTrue(self.dom(foreign).title.startswith("flipsat: "))
        self.assertEqual(self.dom(foreign.replace(POLICY, '<meta name="policy"')).title, "hit")


class Keys(BrowserTest):
    def setUp(self):
        super().setUp()
        _, self.report = self.optimize(EXAMPLE)
        self.count = 500
        self.page = self.page_of(many(self.report, self.count))

    def test_thousands_of_modules(self):
        count = 3000
        page = self.page_of(many(self.report, count))
        self.assertLess(len(page), 12000 * count)
        made, shown, more = self.probe(page, """
          const made = whole.body.children.length;
          whole.box.scrollTop = whole.box.scrollHeight;
          await wait();
          return [made, whole.shown.length, whole.body.children.length];""")
        self.assertEqual(shown, count)
        self.assertLess(made, 300)
        self.assertGreater(more, made)

    def test_sorting(self):
        up, down = self.probe(self.page, """
          const head = whole.heads.find((th) => th.textContent === "after");
          const seen = () => {
            head.querySelector("button").click();
            return [head.getAttribute("aria-sort"), whole.element.querySelectorAll("[aria-sort$=ending]").length,
                    [...whole.body.children].map((tr) => tr.row.programs?.output.time_us ?? null)];
          };
          const down = seen();
          return [seen(), down];""")
        times = sorted(record["programs"]["output"]["time_us"]
                       for record in many(self.report, self.count)["records"] if "error" not in record)
        self.assertEqual(up[:2], ["ascending", 1])
        self.assertEqual(down[:2], ["descending", 1])
        self.assertEqual(up[2], times[:len(up[2])])
        self.assertEqual(down[2], times[::-1][:len(down[2])])

    def test_filtering(self):
        kept, counted, failed, none = self.probe(self.page, """
          const inputs = () => whole.shown.map((record) => record.input);
          type(whole.filter, "FOLDER_3 module_00");
          const kept = inputs(), counted = whole.count.textContent;
          type(whole.filter, "");
          [...document.querySelectorAll(".chip")].find((chip) => chip.textContent.startsWith("failed")).click();
          const failed = inputs();
          type(whole.filter, "no such module");
          return [kept, counted, failed, inputs()];""")
        expected = [f"run/folder_3/module_00{i:02}.hlo" for i in range(100) if i % 7 == 3]
        self.assertEqual(sorted(kept), expected)
        self.assertIn(f"{len(expected)} of {self.count} modules", counted)
        self.assertEqual((failed, none), (["run/broken.hlo"], []))

    def test_by_keyboard(self):
        first, second, opened, back, focused = self.probe(self.page, """
          const headline = () => document.getElementById("headline").textContent;
          const focused = () => document.activeElement.row?.headline;
          press("/", document.body);
          if (document.activeElement !== whole.filter) return "the filter has no focus";
          type(whole.filter, "module_00");
          press("ArrowDown");
          const first = focused();
          press("j"); press("ArrowDown"); press("k");
          const second = focused();
          press("Enter");
          await wait();
          const opened = headline();
          press("Escape", document.body);
          await wait();
          return [first, second, opened, headline(), focused()];""")
        self.assertTrue(first.startswith("headline of"), first)
        self.assertNotEqual(first, second)
        self.assertEqual(opened, second)
        self.assertIn(f"{self.count} modules", back)
        self.assertEqual(focused, second)

    def test_past_the_rows_that_are_made(self):
        at = self.probe(self.page, """
          press("j", document.body);
          for (let i = 0; i < 450; ++i) press("j");
          return whole.shown.indexOf(document.activeElement.row);""")
        self.assertEqual(at, 450)

    def test_a_link_opens_a_module(self):
        number = 17
        text = self.probe(self.page, f"""
          location.hash = "#{number}"; await wait();
          const opened = document.getElementById("headline").textContent;
          location.hash = "#99999"; await wait();
          return [opened, document.querySelectorAll(".table").length > 0];""")
        self.assertEqual(text, [f"headline of {number - 1}", True])


class Looks(BrowserTest):
    def pages(self):
        page, report = self.optimize(EXAMPLE)
        yield "module", page
        batch = many(report, 30)
        batch["records"][0]["input"] = "run/" + "long_name_without_any_break" * 9
        batch["records"][0]["changes"][0]["source"] = "s" * 400
        batch["records"][-1]["error"] = "e" * 400
        yield "batch", self.page_of(batch)
        yield "long names", self.page_of(batch["records"][0] | {"headline": "h" * 300, "notes": ["n" * 300]})

    def test_no_page_is_wider_than_its_window(self):
        for name, page in self.pages():
            with self.subTest(name):
                seen = self.probe(page, """
                  const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
                  const first = over();
                  if (document.querySelector(".opens")) location.hash = "#1";
                  await wait();
                  return [first, over()];""", widths=(PHONE, 700, DESKTOP))
                self.assertEqual(set(map(tuple, seen.values())), {(0, 0)}, seen)

    def test_dark_and_light(self):
        page, _ = self.optimize(EXAMPLE)
        script = """
          const rgb = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
            .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          const light = (colour) => { const [r, g, b] = rgb(colour); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
          const now = () => {
            const page = light(getComputedStyle(document.body).backgroundColor);
            const kinds = ["body", ".lead", "td .gain", "code", "th", ".facts span"];
            return [page, Math.min(...kinds.map((kind) =>
              contrast(page, light(getComputedStyle(document.querySelector(kind)).color))))];
          };
          const before = now();
          document.querySelector(".theme").click();
          return [before, now()];"""
        for options in [[], ["--force-dark-mode"]]:
            first, second = self.probe(page, script, *options)
            dark, light = (first, second) if options else (second, first)
            self.assertLess(dark[0], 0.05)
            self.assertGreater(light[0], 0.9)
            self.assertGreater(min(dark[1], light[1]), 4.5)


if __name__ == "__main__":
    unittest.main()
