"""`flipsat show`: the e-graph as a page, for Graphviz and as JSON."""

import html.parser
import json
import os
import re
import shutil
import subprocess
import unittest

from runner import BROKEN, GAINS, INPUT, NESTED, NOTHING, ROOT, USAGE, ToolTest

FSDP = ROOT / "examples" / "fsdp_layer.hlo"

# Names and source lines that would do harm where they are not taken as text.
EVIL = """HloModule "<script>alert(1)</script>", num_partitions=4

ENTRY "</script><script>alert(2)</script>" {
  "x\\"<b>" = f32[64,256] parameter(0)
  "<img src=x onerror=alert(3)>" = f32[256,256] all-gather("x\\"<b>"), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true
  ROOT "&amp;' -->" = bf16[256,256] convert("<img src=x onerror=alert(3)>"), metadata={op_name="<!--<script>" source_file="</title></style>" source_line=1}
}
"""


class Elements(html.parser.HTMLParser):
    """Names of the elements of a page, and the text of its scripts."""

    def __init__(self, page):
        super().__init__()
        self.names, self.scripts, self.attributes, self.open = [], [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        self.attributes.extend((name, value or "") for name, value in attributes)
        self.open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.open == "script":
            self.scripts[-1] += data

    def handle_endtag(self, tag):
        self.open = None


def data_of(page):
    return json.loads(Elements(page).scripts[0])


class Show(ToolTest):
    def show(self, module, format_name="html", *options):
        return self.run_flipsat("show", module, "-o", "-", "--format", format_name, *options).stdout

    def evil(self):
        """A module with such names, if the reader takes names in quotes; else in metadata alone."""
        quoted = self.write("evil.hlo", EVIL)
        if subprocess.run([os.environ["FLIPSAT_BINARY"], "optimize", quoted, "--quiet"],
                          capture_output=True, check=False).returncode == 0:
            return quoted
        plain = GAINS.replace("convert(full)", 'convert(full), metadata={op_name="<!--<script>" '
                              'source_file="</title></style><script>alert(1)</script>" source_line=1}')
        return self.write("<script>alert(9)<script>.hlo", plain)

    # ---- the page ----
    def test_the_page_needs_nothing_else(self):
        page = self.show(FSDP)
        elements = Elements(page)
        self.assertIn("default-src 'none'", page)
        self.assertEqual(elements.names.count("script"), 2)
        for name, value in elements.attributes:
            self.assertNotIn(name, ["src", "onclick", "onload", "onerror"])
            if name == "href":
                self.assertTrue(value.startswith("#"), value)

    def test_every_form_has_a_row_and_a_reason(self):
        page = self.show(self.write("m.hlo", NESTED))
        forms = data_of(page)["forms"]
        self.assertEqual(len(re.findall(r'<g class="form[^"]*" data-form=', page)), len(forms))
        self.assertTrue(any(form["output"] and form["why"] for form in forms))
        for form in forms:
            rules = data_of(page)["rules"]
            for step in form["why"]["steps"] if form["why"] else []:
                self.assertIn(step["rule"], rules)
        self.assertTrue(data_of(page)["shown"])

    def test_what_is_drawn(self):
        page = self.show(FSDP)
        self.assertIn("Site 2: ", page)
        self.assertIn("2 more sites are like it: 3, 4.", page)
        self.assertIn("launched together", page)
        self.assertIn("reduce-scatter(%g_up), dims={0}, groups=[1,8], by=add", page)

    def test_one_site(self):
        page = self.show(FSDP, "html", "--site", 3)
        self.assertIn("Site 3: ", page)
        self.assertNotIn("Site 2: ", page)
        self.assertEqual(page, self.show(FSDP, "html", "--at", "%w_k_bf16"))
        for options, words in [(["--site", 99], "there are 13 sites"),
                               (["--at", "w_k_bf61"], "did you mean 'w_k_bf16'?"),
                               (["--at", "x"], "no rule found anything at %x or next to it")]:
            self.assertIn(words, self.run_flipsat("show", FSDP, *options, status=USAGE).stderr)
        self.assertEqual(self.files(), [])

    def test_a_site_that_is_too_large_is_cut_and_says_so(self):
        page = self.show(FSDP, "html", "--most-classes", 1)
        self.assertIn("connected with these are not drawn", page)

    def test_text_of_the_module_stays_text(self):
        module = self.evil()
        page = self.show(module)
        elements = Elements(page)
        self.assertEqual(elements.names.count("script"), 2)
        for name in ["img", "b"]:
            self.assertNotIn(name, elements.names)
        self.assertNotIn("<!--", page)
        text = "".join(form["text"] for form in data_of(page)["forms"])
        self.assertIn("convert", text)

    def test_it_runs_in_a_browser(self):
        browser = shutil.which("chromium")
        if browser is None:
            self.skipTest("no chromium")
        self.run_flipsat("show", self.write("m.hlo", NESTED), "-o", "p.html")
        done = subprocess.run(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
             f"--user-data-dir={self.folder}/profile", f"file://{self.folder}/p.html"],
            capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            self.skipTest("chromium does not run here")
        # The script has picked a form and said why.
        self.assertIn("Why it is equal to the first form:", done.stdout)
        self.assertIn("by <b>gather-", done.stdout)

    # ---- the other forms ----
    def test_json_is_a_graph_that_others_read(self):
        graph = json.loads(self.show(FSDP, "json"))
        self.assertEqual(graph["schema"], 1)
        for node in graph["nodes"].values():
            self.assertIn(node["eclass"], graph["class_data"])
            for child in node["children"]:
                self.assertIn(child, graph["nodes"])
        self.assertTrue(set(graph["root_eclasses"]) <= set(graph["class_data"]))
        self.assertEqual(sorted(site["number"] for site in graph["sites"]), [1, 2, 6, 12])
        chosen = [node for node in graph["nodes"].values() if node["output"] and node["rule"]]
        self.assertIn("all-gather(c", " ".join(node["text"] for node in chosen))
        (sum_,) = [node for node in graph["nodes"].values() if node["input"] == ["%g_up_sum"]]
        self.assertEqual((sum_["output"], sum_["wire_bytes"]), (False, 7340032))

    def test_the_engine_reads_the_json(self):
        eqsat = os.path.join(os.path.dirname(os.environ["FLIPSAT_BINARY"]), "eqsat")
        if not os.path.exists(eqsat):
            self.skipTest("no eqsat beside flipsat")
        self.run_flipsat("show", FSDP, "-o", "g.json")
        done = subprocess.run([eqsat, "import", "g.json"], capture_output=True, text=True,
                              cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_graphviz(self):
        for module in [FSDP, self.evil()]:
            dot = self.show(module, "dot")
            self.assertIn("subgraph \"cluster_s1\"", dot)
            if shutil.which("dot") is None:
                continue
            done = subprocess.run(["dot", "-Tsvg"], input=dot, capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("<svg", done.stdout)
        if shutil.which("dot") is None:
            self.skipTest("no dot to draw it")

    def test_the_same_bytes_twice(self):
        for name in ["html", "dot", "json"]:
            self.assertEqual(self.show(FSDP, name), self.show(FSDP, name))

    # ---- files ----
    def test_the_name_says_what_it_is(self):
        for name, start in [("a.html", "<!DOCTYPE html>"), ("a.dot", "digraph"), ("a.json", "{")]:
            done = self.run_flipsat("show", FSDP, "-o", name)
            self.assertIn(f"{name}: 4 sites drawn, 9 more like these", done.stdout)
            self.assertTrue((self.folder / name).read_text().startswith(start))
        self.run_flipsat("show", FSDP)
        self.assertIn("egraph.html", self.files())
        self.assertIn("a name in .html", self.run_flipsat("show", FSDP, "-o", "a.svg",
                                                          status=USAGE).stderr.lower())

    def test_nothing_to_show(self):
        done = self.run_flipsat("show", self.write("m.hlo", NOTHING), "-o", "p.html")
        self.assertIn("nothing to gain, proved", done.stdout)

    def test_bad_input_writes_nothing(self):
        self.run_flipsat("show", self.write("m.hlo", BROKEN), "-o", "p.html", status=INPUT)
        self.assertEqual(self.files(), ["m.hlo"])

    def test_options_that_look_elsewhere(self):
        self.assertIn("--hoist: show looks at", self.run_flipsat("show", FSDP, "--hoist",
                                                                 status=USAGE).stderr)


if __name__ == "__main__":
    unittest.main()
