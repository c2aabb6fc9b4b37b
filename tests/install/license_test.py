"""Do the files that say how gcnjit is licensed say the same: LICENSE, REUSE.toml (SPDX), debian/copyright, and notices in
files of other people's?

    license_test.py SOURCE_FOLDER
"""
import fnmatch
import os
import re
import sys
import tomllib
import unittest

SOURCE = sys.argv[1]
OURS = "2026 the gcnjit developers"


def read(*names):
    with open(os.path.join(SOURCE, *names), errors="replace") as file:
        return file.read()


def annotations():
    """(path, copyright, license) of REUSE.toml."""
    return [(a["path"], a["SPDX-FileCopyrightText"], a["SPDX-License-Identifier"])
            for a in tomllib.loads(read("REUSE.toml"))["annotations"]]


def fields(paragraph):
    return dict(re.findall(r"^([\w-]+): *((?:.*\n?)(?:^ .*\n?)*)", paragraph, re.M))


class LicenseTest(unittest.TestCase):
    def test_each_license_has_its_text(self):
        self.assertEqual({f"{name}.txt" for _, _, name in annotations()}, set(os.listdir(os.path.join(SOURCE, "LICENSES"))))
        self.assertEqual(read("LICENSES", "MIT.txt"), read("LICENSE"))
        self.assertIn(f"Copyright (c) {OURS}\n", read("LICENSE"))

    def test_debian_says_the_same(self):
        paragraphs = [fields(p) for p in read("debian", "copyright").split("\n\n")]
        said = [(p["Files"].strip().replace("*", "**"), p["Copyright"].strip(), p["License"].strip())
                for p in paragraphs if "Files" in p]
        self.assertEqual(said, annotations())
        text = next(p["License"] for p in paragraphs if "Files" not in p and "License" in p)
        words = text.replace("\n .\n", "\n").split()
        self.assertEqual(words[0], "MIT")
        self.assertEqual(words[1:], read("LICENSE").split(OURS)[1].split())

    def test_files_of_others_are_named(self):
        """A file with a notice of its own belongs to who REUSE.toml says."""
        found = set()
        for folder, folders, files in os.walk(SOURCE):
            folders[:] = [f for f in folders if f not in (".git", "build", "LICENSES")]
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), SOURCE)
                notice = re.search(r"^\W*Copyright \([cC]\)(.*)|^\W*Copyright ((?:19|20)\d\d.*)", read(path), re.M)
                if not notice or path in ("LICENSE", os.path.join("debian", "copyright")):
                    continue
                found.add(path)
                owner = [text for pattern, text, _ in annotations() if pattern == "**" or fnmatch.fnmatch(path, pattern)][-1]
                year, name = owner.split(" ", 1)
                self.assertIn(year, notice[0], path)
                self.assertIn(name, notice[0], path)
        self.assertEqual(found, {path for path, owner, _ in annotations() if owner != OURS})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
