"""`gcnjit debug` on a terminal: colours, keys, Ctrl-C."""
import codecs
import fcntl
import os
import pathlib
import pty
import re
import select
import struct
import sys
import termios
import time
import unittest

OBJECTS = pathlib.Path(os.environ["GCNJIT_DEBUG_OBJECTS"])
PROGRAM = os.environ["GCNJIT_PROGRAM"]
PROMPT = "(gcnjit) "


class Terminal:
    def __init__(self, *arguments, columns=100, **variables):
        environment = {**os.environ, "TERM": "xterm", **variables}
        self.process, self.end = pty.fork()
        if self.process == 0:
            try:
                os.execve(PROGRAM, [PROGRAM, "debug", *arguments], environment)
            finally:
                os._exit(127)
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.text = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")()

    def read(self, wanted, timeout=60):
        """What comes up to `wanted`."""
        deadline = time.monotonic() + timeout
        while wanted not in self.text:
            ready, _, _ = select.select([self.end], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"no {wanted!r} in {self.text!r}")
            try:
                self.text += self.decoder.decode(os.read(self.end, 65536))
            except OSError as error:  # the other end is closed
                raise EOFError(self.text) from error
        before, self.text = self.text.split(wanted, 1)
        return before.replace("\r\n", "\n")

    def type(self, keys):
        os.write(self.end, keys.encode())

    def command(self, keys):
        """Types a line; what it says."""
        self.type(keys + "\r")
        self.read("\r\n")
        return self.read(f"\r{PROMPT}")

    def wait(self):
        """The exit code."""
        try:
            self.read("there is no such text", timeout=30)
        except EOFError:
            pass
        _, status = os.waitpid(self.process, 0)
        os.close(self.end)
        return os.waitstatus_to_exitcode(status)


class TerminalTest(unittest.TestCase):
    def start(self, kernel="saxpy", **how):
        arguments = {"saxpy": ["--arg", "f32:2.5", "--arg", "iota:f32:64", "--arg", "iota:f32:64"],
                     "endless": ["--arg", "buf:64"]}[kernel]
        terminal = Terminal(str(OBJECTS / "debug-gfx900.co"), "--kernel", kernel, "--global", "64", *arguments, **how)
        self.begin = terminal.read(f"\r{PROMPT}")
        return terminal

    def test_colours(self):
        terminal = self.start()
        self.assertIn("\033[1m=> saxpy+0x0", self.begin)
        self.assertIn("\033[32m■", terminal.command("print exec"))
        self.assertIn("\033[31mno register", terminal.command("print nothing"))
        terminal.type("quit\r")
        self.assertEqual(terminal.wait(), 0)

    def test_no_colours(self):
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            terminal = self.start(**variables)
            self.assertNotIn("\033[1m", self.begin)
            self.assertEqual(re.sub(r"\033\[(K|\d*C)", "", terminal.command("print exec")),
                             "exec   0xffffffffffffffff  64 lanes: 0-63\n")
            terminal.type("quit\r")
            self.assertEqual(terminal.wait(), 0)
        terminal = self.start(NO_COLOR="")
        self.assertIn("\033[1m", self.begin)
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0)

    def test_keys(self):
        terminal = self.start(NO_COLOR="1")
        self.assertIn("step 0\n", terminal.command("where"))
        self.assertIn("saxpy+0x8", terminal.command("sj\x7fi"))
        self.assertIn("saxpy+0x10", terminal.command(""))  # again
        self.assertIn("step 2\n", terminal.command("\x1b[A\x1b[A"))  # up, up: where
        self.assertIn("step 2\n", terminal.command("\x1b[A\x1b[A\x1b[B"))  # and down
        self.assertIn("step 2\n", terminal.command("here\x01w"))  # Ctrl-A
        self.assertIn("step 2\n", terminal.command("whxere\x1b[D\x1b[D\x1b[D\x7f"))  # left
        self.assertIn("step 2\n", terminal.command("xwhere\x1b[H\x1b[3~"))  # home, delete
        self.assertIn("step 2\n", terminal.command("print\x03where"))  # Ctrl-C
        self.assertIn("step 2\n", terminal.command("print\x15where\x1b[D\x05"))  # Ctrl-U, Ctrl-E
        self.assertIn("step 2\n", terminal.command("wherever\x1b[D\x1b[D\x1b[D\x0b"))  # Ctrl-K
        self.assertIn("step 2\n", terminal.command("whe\t"))  # where
        self.assertIn("about to begin", terminal.command("reverse-c\t"))
        self.assertIn("no command 'ö'", terminal.command("öä\x7f"))
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0)

    def test_long_lines(self):
        terminal = self.start(NO_COLOR="1", columns=40)
        terminal.type("x" * 100)
        terminal.read("\r" + PROMPT + "x" * 30)
        self.assertIn("no command 'xxx", terminal.command(""))
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0)

    def test_interrupt(self):
        terminal = self.start("endless", NO_COLOR="1")
        terminal.type("continue\r")
        terminal.read("\r\n")
        time.sleep(0.5)
        terminal.type("\x03")
        self.assertIn("interrupted\ngroup (0, 0, 0), wave 0", terminal.read(f"\r{PROMPT}"))
        step = terminal.command("where").split("\n")[0]
        self.assertRegex(step, r"step \d\d+")
        self.assertIn("about to begin", terminal.command("reverse-continue"))
        terminal.type("quit\r")
        self.assertEqual(terminal.wait(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
