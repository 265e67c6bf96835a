"""Shows pages to Chromium, without a window, and asks what became of them.

Environment: FLIPSAT_BINARY, FLIPSAT_ROOT (the source tree), FLIPSAT_PAGE_OF (makes a page of any report). Importing
this skips the test where there is no Chromium (scripts/setup-browser installs it).
"""

import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(os.environ["FLIPSAT_ROOT"]) / "tests" / "tools"))

from runner import ToolTest  # noqa: E402

PAGE_OF = os.environ["FLIPSAT_PAGE_OF"]
SKIPPED = 77
DESKTOP, PHONE = 1200, 380

CHROMIUM = shutil.which("chromium")
if CHROMIUM is None:
    print("skipped: there is no chromium (scripts/setup-browser installs it)")
    sys.exit(SKIPPED)

# Every way out of text: an element, an attribute, a string of a script, the script element itself.
HOSTILE = ("</script><script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">"
           "'\"`${document.title='hit'}\\u003c--><!--<script>&lt;b&gt;\u2028")

POLICY = '<meta http-equiv="Content-Security-Policy"'


class Dom(html.parser.HTMLParser):
    """What a browser made of a page: elements, texts outside of scripts and styles, and names of attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.title = [], set(), [], ""
        self._inside = ""
        self.feed(text)
        self.text = "".join(self.texts).replace("\u00a0", " ")

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        self._inside = tag

    def handle_endtag(self, tag):
        self._inside = ""

    def handle_data(self, data):
        if self._inside == "title":
            self.title += data
        elif self._inside not in ("script", "style"):
            self.texts.append(data)


class BrowserTest(ToolTest):
    def optimize(self, module, *arguments):
        """The page of a module, and its report."""
        self.run_flipsat("optimize", module, "--quiet", "--report", "r.html", "--report", "r.json", *arguments)
        return (self.folder / "r.html").read_text(), json.loads((self.folder / "r.json").read_text())

    def page_of(self, report):
        path = self.write("any.json", json.dumps(report))
        return subprocess.run([PAGE_OF, path], capture_output=True, check=True, text=True).stdout

    def dom(self, page, *options):
        """The page as Chromium has it after its script has run."""
        path = self.write("shown.html", page)
        # Root has no sandbox; nothing but pages of our own is shown.
        done = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             f"--user-data-dir={self.folder / 'profile'}", f"--window-size={DESKTOP},900",
             "--virtual-time-budget=10000", "--dump-dom", *options, path.as_uri()],
            capture_output=True, check=True, text=True, timeout=300)
        return Dom(done.stdout)

    def without_policy(self, page):
        """The page as if its Content-Security-Policy were not: escaping alone has to do."""
        self.assertIn(POLICY, page)
        return page.replace(POLICY, '<meta name="policy"')

    def probe(self, page, script, *options, widths=(DESKTOP,)):
        """What a script returns that is run in the page after the page's own, in a frame of each width."""
        probed = self.without_policy(page).replace("</body>", f"""<script>{{
          const press = (key, target = document.activeElement) => target.dispatchEvent(
            new KeyboardEvent("keydown", {{key, bubbles: true, cancelable: true}}));
          const type = (filter, text) => {{ filter.value = text; filter.dispatchEvent(new Event("input")); }};
          const wait = () => new Promise((done) => setTimeout(done, 50));
          const whole = document.querySelector(".table")?.table;
          (async () => {{ {script} }})().catch((error) => "failed: " + error.stack)
            .then((value) => parent.postMessage({{value, width: innerWidth}}, "*"));
        }}</script></body>""")
        frame = self.write("probed.html", probed)
        frames = "".join(f'<iframe src="{frame.name}" style="width: {width}px; height: 800px; border: 0"></iframe>'
                         for width in widths)
        dom = self.dom(f"""<!DOCTYPE html><pre></pre><script>
          const answers = {{}};
          addEventListener("message", (event) => {{
            answers[event.data.width] = event.data.value;
            document.querySelector("pre").textContent = JSON.stringify(answers);
          }});</script>{frames}""", *options)
        answers = json.loads(dom.text.strip())
        self.assertEqual(sorted(answers), sorted(map(str, widths)))
        return answers if len(widths) > 1 else answers[str(widths[0])]
