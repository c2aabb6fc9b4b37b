"""README.md and docs/*.md: does every command that they show run as it is written there?

    commands_test.py SOURCE_FOLDER BUILD_FOLDER [--write]

Blocks of commands begin with ```sh. A document's are run by bash one after another, in a folder that looks like the
source folder after a build, and has the files that the document shows (```c with "// NAME" in the first line) or takes
for granted (GIVEN). A command's exit code must be 0, or what its comment says ("# exit code 6"). What is not run here
is in elsewhere.txt, with what runs it. --write writes the output that docs/check.md shows.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE, BUILD = (pathlib.Path(folder).resolve() for folder in sys.argv[1:3])
DOCUMENTS = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]
# Name in the document's folder: file of the source folder, or of the build folder's tests.
GIVEN = {
    "docs/hip.md": {"vector_add.hip": "tests/hip/vectors.hip", "halo.hip": "tests/hip/mpi_halo.hip", "check.h": "tests/hip/check.h",
                    "program": "build/release/tests/hip/vectors"},
    "docs/profiles.md": {"solver": "build/release/tests/hip/vectors"},
}
LANGUAGES = {"sh", "text", "c", "cpp", "cmake", "json", "lua", "pycon", "yaml"}


def name_of(document):
    return str(document.relative_to(SOURCE))


def blocks(document):
    """Language and text of each."""
    return re.findall(r"^```(\S*)\n(.*?)^```$", document.read_text(), re.M | re.S)


def commands(block):
    """The lines of each command: with those that a backslash continues it by, and with its here-document."""
    lines, found = block.splitlines(), []
    while lines:
        command = [lines.pop(0)]
        while command[-1].endswith("\\"):
            command.append(lines.pop(0))
        if here := re.search(r"<<(\w+)$", command[-1]):
            while command[-1] != here[1]:
                command.append(lines.pop(0))
        if command[0].strip():
            found.append("\n".join(command))
    return found


def elsewhere():
    """What is not run here: a document, or how a command begins; and what runs it."""
    lines = (HERE / "elsewhere.txt").read_text().splitlines()
    return dict(re.split(r" +\| ", line, maxsplit=1) for line in lines if line and not line.startswith("#"))


ELSEWHERE = elsewhere()


def entry_of(document, command):
    return next((begin for begin in ELSEWHERE if begin == name_of(document) or command.startswith(begin)), None)


def can_run(command):
    with open("/proc/cpuinfo") as file:
        return "avx512" not in command or "avx512vl" in file.read()


def plain(text):
    """Without what differs from host to host: guest addresses."""
    return re.sub(r"0x7[0-9a-f]{11}", "ADDRESS", text)


class World:
    """A document's folder, in which its commands have been run. `outputs`: of each command."""

    def __init__(self, document):
        self.document, self.outputs = document, {}

    def run(self, here):
        for path in SOURCE.iterdir():
            if not path.name.startswith((".", "build")):
                (here / path.name).symlink_to(path)
        (here / "build").mkdir()
        (here / "build/release").symlink_to(BUILD)
        for name, path in GIVEN.get(name_of(self.document), {}).items():
            (here / name).symlink_to(here / path)
        script, tried = ["set -o pipefail"], []
        for language, text in blocks(self.document):
            if name := language == "c" and re.match(r"// ([\w.]+)\n", text):
                (here / name[1]).write_text(text)
            for command in commands(text) if language == "sh" else ():
                if entry_of(self.document, command) or not can_run(command):
                    continue
                code = re.search(r"# exit code (\d)", command)
                output = f"output.{len(tried)}"
                script.append(f"{{ {command}\n}} >{output} 2>&1")
                script.append(f"[ $? = {code[1] if code else 0} ] || {{ cat {output}; exit {len(tried) + 1}; }}")
                tried.append(command)
        done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=here, stdin=subprocess.DEVNULL, timeout=600,
                              capture_output=True, encoding="latin-1", env={**os.environ, "HOME": str(here)})
        if done.returncode != 0:
            raise AssertionError(f"{name_of(self.document)}: {tried[done.returncode - 1]}\n{done.stdout}{done.stderr}")
        self.outputs = {command: (here / f"output.{n}").read_text("latin-1") for n, command in enumerate(tried)}


class CommandsTest(unittest.TestCase):
    def test_commands(self):
        for document in DOCUMENTS:
            with self.subTest(name_of(document)), tempfile.TemporaryDirectory() as folder:
                world = World(document)
                world.run(pathlib.Path(folder))
                self.check_outputs(document, world.outputs)

    def check_outputs(self, document, outputs):
        for command, output in outputs.items():
            if "od -An" in command:
                self.assertRegex(output, r"^ *0 +2\.5 +5 +7\.5\n")
            if name_of(document) == "docs/check.md" and "# exit code 6" in command and "--json" not in command:
                shown = next(text for language, text in blocks(document) if language == "text")
                if "--write" in sys.argv:
                    document.write_text(document.read_text().replace(shown, output))
                else:
                    self.assertEqual(plain(output), plain(shown))

    def test_blocks_say_what_they_are(self):
        for document in DOCUMENTS:
            for language, text in blocks(document):
                self.assertIn(language, LANGUAGES, f"{name_of(document)}: {text}")
            self.assertNotRegex(document.read_text(), r"\n\n    (gcnjit|scripts|cmake)", name_of(document))

    def test_elsewhere(self):
        used = {entry_of(document, command) for document in DOCUMENTS for language, text in blocks(document)
                if language == "sh" for command in commands(text)}
        self.assertEqual(set(ELSEWHERE) - used, set())
        for begin, what in ELSEWHERE.items():
            path = SOURCE / what.split()[0].rstrip(":")
            self.assertTrue(path.exists(), f"{begin}: {what}")
            if begin.startswith("docs/"):
                self.assertIn(begin, path.read_text())

    def test_commands_in_sentences(self):
        """Their subcommands, scripts and options exist."""
        for document in DOCUMENTS:
            prose = re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.M | re.S)
            for program, rest in re.findall(r"`(?:\w+=\S+ )*(gcnjit [a-z]+|scripts/[a-z-]+)\b(?!\.)([^`]*)`", prose):
                command = f"{name_of(document)}: {program}{rest}"
                if program.startswith("gcnjit "):
                    done = subprocess.run([*program.split(), "--help"], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, command)
                    known = done.stdout
                else:
                    known = (SOURCE / program).read_text()
                    if program == "scripts/bench":  # passes them on
                        known += "".join(path.read_text() for path in (SOURCE / "bench").glob("**/*.py"))
                for option in set(re.findall(r"--[a-z-]+", rest.split(" -- ")[0])) - {"--help"}:
                    self.assertTrue(re.search(rf"{option}\b", known), command)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + [argument for argument in sys.argv[3:] if argument != "--write"])
