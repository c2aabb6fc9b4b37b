"""Pages are well-formed and complete, say what the JSON says, and allow no script but their own."""
import base64
import hashlib
import html.parser
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import pages

VOID = {"meta", "br", "img", "hr", "link"}


class Parser(html.parser.HTMLParser):
    """Tags that are closed in the order in which they were opened; texts by the element that they are in."""

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.ids, self.anchors, self.mistakes = [], [], [], [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.anchors += [attributes["href"]] if "href" in attributes else []
        self.mistakes += [f"<{tag} {name}>" for name in attributes if name.startswith("on") or name == "src"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.mistakes.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))


def parse(path):
    parser = Parser()
    parser.feed(pathlib.Path(path).read_text())
    parser.close()
    return parser


GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs/profiles.md"


class GuideTest(unittest.TestCase):
    """docs/profiles.md: its commands, as written there, and what it says of the page."""

    def test_guide(self):
        guide = GUIDE.read_text()
        source, commands = (re.search(rf"^```{language}\n(.*?)^```", guide, re.M | re.S).group(1) for language in ("c", "sh"))
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "transpose.cl").write_text(source)
            path = f"{os.path.dirname(pages.GCNJIT)}:{os.environ['PATH']}"
            subprocess.run(["bash", "-euc", commands], cwd=folder, env={**os.environ, "PATH": path}, check=True,
                           stdout=subprocess.DEVNULL, timeout=300)
            text = pathlib.Path(folder, "transpose.html").read_text()
        for instruction, lines, least in re.findall(r"^\| `(global_.*?)` \| (\d+) \| (\d+) \|$", guide, re.M):
            row = next(row for row in text.split("<tr>") if f">{instruction}<" in row)
            values = re.findall(r'data-v="([\d.]+)"', row)
            self.assertEqual(values[2:4], [lines, least], instruction)
        headings = re.findall(r"<h2>(.*?)</h2>", text)
        for section in re.findall(r"^\| ([A-Z][\w ]+) \| ", guide, re.M):
            self.assertTrue(any(heading.startswith(section) for heading in headings), section)


class PagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = pages.Pages()

    @classmethod
    def tearDownClass(cls):
        cls.pages.close()

    def test_well_formed(self):
        for name, path in self.pages.all().items():
            page = parse(path)
            self.assertEqual(page.mistakes, [], name)
            self.assertEqual(page.open, [], name)
            self.assertEqual(len(page.ids), len(set(page.ids)), name)
            self.assertEqual({f"#{anchor}" for anchor in page.ids}, set(page.anchors), name)

    def test_policy_names_the_script(self):
        for name, path in self.pages.all().items():
            text = pathlib.Path(path).read_text()
            script = re.search(r"<script>(.*?)</script>", text, re.S).group(1)
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            self.assertIn(f"script-src 'sha256-{digest}'", text, name)

    def test_page_says_what_json_says(self):
        report = json.loads(self.pages.bench_json)
        page = parse(self.pages.bench)
        texts = {text for _, text in page.texts}
        for code in report["counted"]["code"]:
            self.assertIn(code["place"], texts)
            self.assertIn(code["text"], texts)
        for block in report["counted"]["blocks"]:
            self.assertIn(f"{block['executed']:,}", texts)
        for kind, count in report["counted"]["instructions"].items():
            if count:
                self.assertIn(f"{count:,}", texts, kind)
        hot = report["engines"][1]["hot"]["places"]
        for spot in hot[:20]:
            self.assertIn(spot["text"], texts)
            if "host_code" in spot:
                self.assertIn(spot["host_code"], texts)
        self.assertTrue(any("host_code" in spot for spot in hot))
        self.assertTrue(any(spot["text"].startswith("v_fma_f32") for spot in hot), [spot["text"] for spot in hot])

    def test_source_is_beside_the_code(self):
        texts = [text for tag, text in parse(self.pages.bench).texts if tag in ("pre", "code")]
        self.assertTrue(any("sum = sum * x + 0.5f" in text for text in texts))
        self.assertTrue(any(re.search(r"v(fm|mul|add)\w+ [yz]mm", text) for text in texts))

    def test_exec_page(self):
        if self.pages.exec is None:
            self.skipTest("HIP programs are not built")
        done = subprocess.run([pages.GCNJIT, "exec", "--json", "--", pages.HIP_PROGRAM], capture_output=True, text=True)
        kernels = json.loads(next(line for line in done.stderr.splitlines() if line.startswith("{")))["kernels"]
        self.assertGreater(len(kernels), 0)
        texts = {text for _, text in parse(self.pages.exec).texts}
        for kernel in kernels:
            self.assertIn(kernel["kernel"], texts)
        self.assertIn(pages.HIP_PROGRAM, texts)

    def test_exec_page_that_cannot_be_written(self):
        if self.pages.exec is None:
            self.skipTest("HIP programs are not built")
        for path, words in (("/dev/full", "the page could not be written to GCNJIT_HTML=/dev/full"),
                            ("/nowhere/page.html", "cannot write the page to GCNJIT_HTML=/nowhere/page.html")):
            done = subprocess.run([pages.GCNJIT, "exec", "--", pages.HIP_PROGRAM], capture_output=True, text=True,
                                  env={**os.environ, "GCNJIT_HTML": path})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(words, done.stderr)

    def test_exec_leaves_no_part(self):
        names = os.listdir(self.pages.folder.name)
        self.assertEqual([name for name in names if "part" in name or ".html." in name], [])


if __name__ == "__main__":
    unittest.main()
