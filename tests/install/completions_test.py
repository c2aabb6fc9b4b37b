"""What bash, zsh and fish make of a command line that has been begun, with the scripts that gcnjit writes for them."""
import os
import pty
import select
import subprocess
import sys
import tempfile
import time
import unittest

GCNJIT, MANUAL = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory()
open(os.path.join(FOLDER.name, "saxpy.co"), "w").close()


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=FOLDER.name).stdout


def in_bash(*words):
    """Candidates for the last word, which bash has taken apart already."""
    line = " ".join(f"'{word}'" for word in words)
    return run("bash", "--norc", "-c", f"source {MANUAL}/gcnjit.bash; COMP_WORDS=({line}); "
               f"COMP_CWORD={len(words) - 1}; _gcnjit; echo \"${{COMPREPLY[*]}}\"").split()


def in_fish(line):
    out = run("fish", "--no-config", "-c", f"source {MANUAL}/gcnjit.fish; complete -C '{line}'")
    return [candidate.split("\t")[0] for candidate in out.splitlines()]


def in_zsh(line, expected):
    """Types `line` and a tab; whether the terminal then shows `expected`."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(FOLDER.name)
        os.environ.update(TERM="dumb", HOME=FOLDER.name, PS1="> ")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    out = ""

    def read_until(text, seconds=20):
        nonlocal out
        end = time.monotonic() + seconds
        while text not in out and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                out += os.read(terminal, 4096).decode(errors="replace")
        return text in out

    def type_text(text):
        os.write(terminal, text.encode())

    type_text(f"PS1='rea''dy> '; unsetopt zle_bracketed_paste; fpath=({MANUAL} $fpath); autoload -U compinit; "
              "compinit -u -D; LISTMAX=1000\n")
    read_until("ready> ")
    out = ""
    type_text(line + "\t")
    found = read_until(expected)
    os.close(terminal)
    os.kill(process, 9)
    os.waitpid(process, 0)
    return found, out


class CompletionsTest(unittest.TestCase):
    def test_bash(self):
        self.assertIn("run", in_bash("gcnjit", ""))
        self.assertEqual(in_bash("gcnjit", "di"), ["disasm", "diff"])
        self.assertEqual(in_bash("gcnjit", "run", "--check"), ["--check", "--check-limit"])
        self.assertEqual(in_bash("gcnjit", "run", "--engine", ""), ["interp", "jit"])
        self.assertEqual(in_bash("gcnjit", "run", "--engine", "=", "j"), ["jit"])
        self.assertEqual(in_bash("gcnjit", "run", "--engine", "="), ["interp", "jit"])
        self.assertEqual(in_bash("gcnjit", "run", ""), [])  # left to bash: files
        self.assertEqual(in_bash("gcnjit", "run", "--kernarg", "--"), [])
        self.assertEqual(in_bash("gcnjit", "completions", "z"), ["zsh"])
        self.assertIn("bash", in_bash("gcnjit", "exec", "--", "bas"))
        self.assertEqual(in_bash("gcnjit", "exec", "--", "bash", "--no"), [])

    def test_fish(self):
        self.assertIn("run", in_fish("gcnjit "))
        self.assertEqual(set(in_fish("gcnjit di")), {"disasm", "diff"})
        self.assertEqual(set(in_fish("gcnjit run --check")), {"--check", "--check-limit"})
        self.assertEqual(in_fish("gcnjit run --engine "), ["interp", "jit"])
        self.assertEqual(in_fish("gcnjit run sax"), ["saxpy.co"])
        self.assertNotIn("saxpy.co", in_fish("gcnjit "))
        self.assertEqual(in_fish("gcnjit completions z"), ["zsh"])
        self.assertIn("bash", in_fish("gcnjit exec -- bas"))

    def test_zsh(self):
        for line, expected in (("gcnjit disa", "gcnjit disasm "), ("gcnjit run --fid", "--fidelity "),
                               ("gcnjit run --engine i", "--engine interp "), ("gcnjit run --engine=j", "=jit "),
                               ("gcnjit run sax", "run saxpy.co "), ("gcnjit completions z", "completions zsh "),
                               ("gcnjit exec --devi", "exec --device")):
            found, out = in_zsh(line, expected)
            self.assertTrue(found, out)

    def test_what_is_printed(self):
        for shell, name in (("bash", "gcnjit.bash"), ("zsh", "_gcnjit"), ("fish", "gcnjit.fish")):
            with open(os.path.join(MANUAL, name)) as file:
                self.assertEqual(run(GCNJIT, "completions", shell), file.read())


unittest.main(argv=[__file__])
