"""Pages in Chromium: drawn without a complaint, sorted by script, complete without, hostile texts included.

    browser_test.py [--shots FOLDER]     FOLDER gets pictures of the pages
"""
import os
import pathlib
import subprocess
import sys
import unittest

import chromium
import pages

SKIPPED = 77  # for ctest


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = pages.Pages()
        cls.browser = chromium.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.pages.close()

    def open(self, path):
        self.browser.messages.clear()
        self.browser.open(path)
        return self.browser

    def shot(self, name):
        if "--shots" in sys.argv:
            folder = pathlib.Path(sys.argv[sys.argv.index("--shots") + 1])
            folder.mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(folder / f"{name}.png")

    def test_no_complaints(self):
        for name, path in self.pages.all().items():
            for is_dark in (False, True):
                for width in (1280, 420):
                    self.browser.dark(is_dark)
                    self.browser.width(width)
                    browser = self.open(path)
                    self.assertEqual(browser.messages, [], name)
                    self.assertGreater(browser.evaluate("document.querySelectorAll('h2').length"), 1, name)
                    wide = browser.evaluate("document.documentElement.scrollWidth - innerWidth")
                    self.assertLessEqual(wide, 0, f"{name} at {width}: wider than the window")
                    self.shot(f"{name}-{'dark' if is_dark else 'light'}-{width}")
        self.browser.dark(False)
        self.browser.width(1280)

    def test_dark_is_dark(self):
        colours = []
        for is_dark in (False, True):
            self.browser.dark(is_dark)
            browser = self.open(self.pages.bench)
            colours.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        self.browser.dark(False)
        self.assertEqual(colours, ["rgb(255, 255, 255)", "rgb(20, 23, 28)"])

    def test_charts_are_drawn(self):
        browser = self.open(self.pages.bench)
        sizes = browser.evaluate("[...document.querySelectorAll('svg')].map(s => s.getBBox().height)")
        self.assertGreater(len(sizes), 3)
        self.assertGreater(min(sizes), 20)
        self.assertEqual(browser.evaluate("document.querySelectorAll('circle.point').length"), 2)

    def column(self, browser, table, number):
        return browser.evaluate(f"[...document.querySelectorAll('table')[{table}].tBodies[0].rows]"
                                f".map(r => r.cells[{number}].dataset.v ?? r.cells[{number}].textContent)")

    def test_tables_sort(self):
        browser = self.open(self.pages.bench)
        click = "document.querySelectorAll('#counters th button')[%d].click()"
        table = browser.evaluate("[...document.querySelectorAll('table')].findIndex(t => t.closest('#counters'))")
        before = self.column(browser, table, 0)
        browser.evaluate(click % 2)
        numbers = list(map(float, self.column(browser, table, 2)))
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        browser.evaluate(click % 2)
        numbers = list(map(float, self.column(browser, table, 2)))
        self.assertEqual(numbers, sorted(numbers))
        self.assertNotEqual(self.column(browser, table, 0), before)
        browser.evaluate(click % 0)
        texts = self.column(browser, table, 0)
        self.assertEqual(texts, sorted(texts, key=str.casefold))
        self.assertEqual(browser.evaluate("document.querySelector('#counters th').getAttribute('aria-sort')"), "ascending")
        self.assertEqual(browser.messages, [])

    def test_without_scripts(self):
        browser = self.open(self.pages.bench)
        text = "document.querySelector('main').textContent"
        with_scripts = browser.evaluate(text)
        browser.scripts(False)
        try:
            browser = self.open(self.pages.bench)
            self.assertEqual(browser.evaluate(text), with_scripts)
            self.assertEqual(browser.evaluate("document.querySelectorAll('button').length"), 0)
            self.assertEqual(browser.messages, [])
        finally:
            browser.scripts(True)

    def test_policy_keeps_other_scripts_out(self):
        """The page's own policy would stop a script that an error of ours let in."""
        path = pathlib.Path(self.pages.folder.name) / "pierced.html"
        page = pathlib.Path(self.pages.bench).read_text()
        path.write_text(page.replace("</main>", "<script>document.title = 'pierced'</script><img src=x onerror=\"document.title = "
                                                "'pierced'\"></main>"))
        browser = self.open(path)
        self.assertNotEqual(browser.evaluate("document.title"), "pierced")
        self.assertIn("Content Security Policy", " ".join(browser.messages))

    def test_hostile_names(self):
        browser = self.open(self.pages.hostile)
        self.assertEqual(browser.messages, [])
        self.assertIn("<script>", browser.evaluate("document.querySelector('header p').textContent"))
        self.assertEqual(browser.evaluate("document.querySelectorAll('script').length"), 1)
        self.assertEqual(browser.evaluate("document.querySelectorAll('img').length"), 0)


if __name__ == "__main__":
    if chromium.find() is None:
        print("no Chromium is installed: skipped")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
