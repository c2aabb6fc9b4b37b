"""Is docs/debug.md right? Its commands, its session, its launch request, and the extension for VS Code.

    documents_test.py SOURCE_FOLDER
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from dap_client import Client

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = pathlib.Path(os.environ["GCNJIT_PROGRAM"])
GUIDE = (SOURCE / "docs/debug.md").read_text()
EXTENSION = json.loads((SOURCE / "editors/vscode/package.json").read_text())


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", GUIDE, re.M | re.S)


def plain(text):
    """Without what differs from host to host: guest addresses."""
    return re.sub(r"0x7[0-9a-f]{11}", "ADDRESS", text)


class DocumentsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        (pathlib.Path(cls.folder.name) / "sums.cl").write_text(blocks("c")[0])
        cls.compile, cls.debug = blocks("sh")
        subprocess.run(["bash", "-euc", cls.compile], cwd=cls.folder.name, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_session(self):
        shown = blocks("text")[0]
        commands = re.findall(r"^\(gcnjit\) (.*)$", shown, re.M)
        self.assertGreater(len(commands), 5)
        run = subprocess.run(["bash", "-euc", self.debug], cwd=self.folder.name, input="\n".join(commands) + "\n",
                             env={**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"},
                             capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        if "--write" in sys.argv:
            (SOURCE / "docs/debug.md").write_text(GUIDE.replace(shown, run.stdout))
            return
        differences = difflib.unified_diff(plain(shown).splitlines(), plain(run.stdout).splitlines(), "docs", "run")
        self.assertEqual(plain(shown), plain(run.stdout), "\n".join(differences))

    def test_launch_request(self):
        request = json.loads(blocks("json")[0].replace("${workspaceFolder}", self.folder.name))
        client = Client(str(PROGRAM))
        client.ask("initialize")
        client.ask("launch", **request)
        client.event("initialized")
        self.assertEqual(client.move("configurationDone")["reason"], "exception")
        client.ask("disconnect")
        self.assertEqual(client.close(), 0)

    def test_extension(self):
        debugger = EXTENSION["contributes"]["debuggers"][0]
        self.assertEqual([debugger["program"], *debugger["args"]], ["/usr/bin/env", "gcnjit", "debug", "--dap"])
        launch = debugger["configurationAttributes"]["launch"]
        for request in (json.loads(blocks("json")[0]), debugger["initialConfigurations"][0]):
            self.assertEqual(request["type"], debugger["type"])
            self.assertLessEqual(set(launch["required"]), set(request))
            self.assertLessEqual(set(request) - {"type", "request", "name"}, set(launch["properties"]))
        # What the program takes from a request, and no more.
        taken = re.findall(r'take(?:_triple)?\("(\w+)"|contains\("(\w+)"\)|FlagIn\(arguments, "(stopOnEntry)"',
                           (SOURCE / "src/cli/dap_server.cpp").read_text())
        self.assertEqual({name for names in taken for name in names if name}, set(launch["properties"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
