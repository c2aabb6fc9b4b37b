"""The commands of `gcnjit debug`, from files and from standard input."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

OBJECTS = pathlib.Path(os.environ["GCNJIT_DEBUG_OBJECTS"])
PROGRAM = os.environ["GCNJIT_PROGRAM"]
ARGUMENTS = {
    "saxpy": ["--global", "256", "--arg", "f32:2.5", "--arg", "iota:f32:256", "--arg", "iota:f32:256"],
    "sums": ["--global", "256", "--local", "128", "--arg", "buf:4096", "--arg", "iota:u32:256", "--arg", "u32:0"],
    "early": ["--global", "256", "--local", "128", "--arg", "buf:4096", "--arg", "iota:u32:256", "--arg", "u32:1"],
    "stray": ["--global", "256", "--arg", "buf:4096", "--arg", "u32:70"],
}


class CommandsTest(unittest.TestCase):
    def run_debugger(self, kernel, commands, *more, target="gfx900", way="file", code=0):
        name = "sums" if kernel == "early" else kernel
        line = [PROGRAM, "debug", str(OBJECTS / f"debug-{target}.co"), "--kernel", name, *ARGUMENTS[kernel], *more]
        text = "\n".join(commands) + "\n"
        with tempfile.TemporaryDirectory() as folder:
            if way == "file":
                path = pathlib.Path(folder) / "commands.txt"
                path.write_text(text)
                line[2:2] = ["-x", str(path)]  # no argument after it is another file
            run = subprocess.run(line, input=text if way == "pipe" else "", capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.stderr = run.stderr
        return run.stdout

    def said(self, kernel, commands, *more, **how):
        """What each command said, and what is said before the first one."""
        parts = re.split(r"^\(gcnjit\) .*\n", self.run_debugger(kernel, commands, *more, **how), flags=re.M)
        self.assertEqual(len(parts), len(commands) + 1)
        return parts

    def value(self, text, register):
        return re.search(rf"^{re.escape(register)} +(\S+)", text, re.M)[1]

    def lanes(self, text):
        """The numbers of a grid of lanes."""
        cells = re.findall(r"^ +\d+ \|(.*)$", text, re.M)
        return [float(word.strip("()")) for row in cells for word in row.split()]

    def test_begin(self):
        begin, where = self.said("saxpy", ["where"])
        self.assertTrue(begin.startswith("The kernel is about to begin\ngroup (0, 0, 0), wave 0 of 1, lane 0, "
                                         "work-item (0, 0, 0)\n"), begin)
        self.assertIn("=> saxpy+0x0            s_load_dword", begin)
        self.assertEqual("step 0\n" + begin.split("\n", 1)[1], where)

    def test_break_line_and_lanes(self):
        for target in ("gfx600", "gfx803", "gfx900", "gfx906"):
            with self.subTest(target):
                _, added, stop, _, _, v, memory = self.said(
                    "saxpy", ["break debug.cl:12 item 70,0,0", "c", "lane 3", "item 70", "print v0 as u32",
                              "memory arg1+0x10 16 as f32"], target=target)
                self.assertRegex(added, r"^breakpoint 1: .*debug\.cl:12 item 70,0,0\n$")
                self.assertTrue(stop.startswith("breakpoint 1\ngroup (1, 0, 0), wave 0 of 1, lane 6, "
                                                "work-item (70, 0, 0)\n"), stop)
                self.assertRegex(stop, r"debug\.cl:12 in saxpy\n    12  +y\[i\] = ax \+ y\[i\];\n=> saxpy\+0x")
                self.assertEqual(len(self.lanes(v)), 64)
                self.assertEqual([float(x) for x in memory.split(":")[1].split()], [4, 5, 6, 7])

    def test_values(self):
        said = self.said("saxpy", ["break debug.cl:13", "c", "print exec vcc", "p scc m0 mode pc",
                                   "print exec_lo as i32", "registers scalar as u32", "r vector as f32", "p s[4:5]",
                                   "memory s[4:5] 4 as f32", "memory arg2 256 as f32", "x arg2 8", "print v2 as f32"])
        _, _, _, masks, special, lo, scalars, vectors, pair, a, y, hexadecimal, v2 = said
        self.assertIn("exec   0xffffffffffffffff  64 lanes: 0-63\n", masks)
        self.assertRegex(special, r"^scc    [01]\nm0     0x\w+\nmode   0x\w+\npc     0x\w+\n$")
        self.assertEqual(lo, "exec_lo -1\n")
        self.assertRegex(scalars, r"(?m)^s4 ")
        self.assertTrue(vectors.startswith("lane 0\nv0 "), vectors)
        self.assertRegex(pair, r"^s\[4:5\] 0x0000\w+ ")
        self.assertEqual(a.split()[1:], ["2.5"])
        numbers = [float(x) for row in y.splitlines() for x in row.split(":")[1].split()]
        self.assertEqual(numbers, [n * 2.5 + n for n in range(64)])
        self.assertEqual(hexadecimal.split(":")[1].split(), ["0x00000000", "0x40600000"])
        self.assertEqual(self.lanes(v2), numbers)

    def test_steps_and_back(self):
        said = self.said("saxpy", ["si 3", "where", "rsi", "where", "si", "where", "step", "step", "step", "next", "rs",
                                   "rc", "goto 5", "where", "restart", "step end", "rsi", "finish", "c", "rsi", "c"])
        self.assertRegex(said[1], r"^   s0 +0x00000000 -> 0x\w+\n   s1 ")
        self.assertTrue(said[2].startswith("step 3\n"))
        self.assertTrue(said[4].startswith("step 2\n"))
        self.assertEqual(said[2], said[6])
        for n, place in ((7, "12 in saxpy"), (8, "6 in scaled"), (9, "12 in saxpy"), (10, "13 in saxpy"),
                         (11, "12 in saxpy")):
            self.assertIn(f"debug.cl:{place}", said[n])
        self.assertTrue(said[12].startswith("The kernel is about to begin\n"))
        self.assertTrue(said[14].startswith("step 5\n"))
        self.assertTrue(said[15].startswith("The kernel is about to begin\n"))
        self.assertTrue(said[16].startswith("wave 0 of group 0 has ended\ngroup (1, 0, 0), wave 0"), said[16])
        self.assertIn("group (0, 0, 0), wave 0", said[17])
        self.assertIn("s_endpgm", said[17])
        self.assertTrue(said[18].startswith("wave 0 of group 0 has ended\n"))
        self.assertRegex(said[19], r"^The kernel has ended: \d+ instructions\n$")
        self.assertIn("s_endpgm", said[20])
        self.assertEqual(said[19], said[21])

    def test_waves_and_barriers(self):
        said = self.said("sums", ["step wave", "waves", "step barrier", "waves", "lds 0x20 16 as u32", "reverse-step wave",
                                  "wave 0", "print v0 as u32", "break sums", "info breakpoints", "c", "waves"])
        self.assertIn("group (0, 0, 0), wave 1 of 2, lane 0, work-item (64, 0, 0)", said[1])
        self.assertRegex(said[2], r"(?m)^group 0 \(0, 0, 0\)\n  wave 0 +at barrier .*\n\* wave 1 +can run .* <- next")
        self.assertRegex(said[4], r"(?m)^  wave 0 +(ended|can run) .*\n\* wave 1 +can run .* <- next")
        self.assertEqual(said[5].split(), ["0x20:", "8", "9", "10", "11"])
        self.assertIn("wave 1 of 2", said[6])  # the first one after the barrier, and the last one before it
        self.assertIn("=> sums+0x0 ", said[6])
        self.assertIn("wave 0 of 2", said[7])
        self.assertEqual(self.lanes(said[8]), list(range(64)))
        self.assertEqual(said[9], "breakpoint 1: sums+0x0\n")
        self.assertEqual(said[10], "1   sums+0x0, 0 hits\n      sums+0x0\n")
        self.assertIn("breakpoint 1\ngroup (1, 0, 0), wave 0", said[11])
        self.assertIn("group 1 (1, 0, 0)\n* wave 0", said[12])

    def test_inactive_lanes(self):
        said = self.said("sums", ["break debug.cl:27", "c", "print exec", "print v0 as u32"])
        self.assertEqual(said[3], "exec   0x0000000000000001  1 lanes: 0\n")
        self.assertEqual(said[4].count("("), 63)
        self.assertEqual(self.lanes(said[4])[0], sum(range(128)))

    def test_fault(self):
        said = self.said("stray", ["c", "c", "print v0 as u32", "rs", "c"])
        self.assertIn("fault: memory write fault in kernel 'stray' (gfx900)\n", said[1])
        self.assertIn("debug.cl:36 in stray", said[1])
        self.assertIn("lane 6, work-item (70, 0, 0)", said[1])
        self.assertEqual(said[1], said[2])
        self.assertEqual(said[1], said[5])
        self.assertIn("=> stray+", said[1])

    def test_findings(self):
        said = self.said("early", ["findings", "c", "bt", "rc", "c", "findings", "step end", "break finding"], "--check")
        self.assertEqual(said[1], "no findings\n")
        self.assertTrue(said[2].startswith("finding 1: lds-race in kernel 'sums'"), said[2])
        self.assertIn("debug.cl:25 in sums", said[3])
        self.assertTrue(said[4].startswith("The kernel is about to begin"))
        self.assertEqual(said[2], said[5])
        self.assertIn("finding 1: lds-race", said[6])
        none = self.said("sums", ["c"], "--check")[1]
        self.assertRegex(none, r"^The kernel has ended: \d+ instructions, 0 findings\n$")

    def test_look(self):
        said = self.said("saxpy", ["break +0x10", "c", "list", "list debug.cl:6", "dis", "dis saxpy 3", "bt"])
        self.assertIn("breakpoint 1: saxpy+0x10", said[1])
        self.assertIn("    10    const uint i", said[3])
        self.assertIn("     6    return a * x;", said[4])
        self.assertIn("=> saxpy+0x10", said[5])
        self.assertEqual(len(said[6].splitlines()), 3)
        self.assertRegex(said[7], r"^#0 .*debug\.cl:10 in saxpy\n#1 saxpy\+0x10  pc 0x\w+\n$")

    def test_changes(self):
        # Before the store, and before what it stores is computed.
        said = self.said("saxpy", ["break debug.cl:13", "c", "rsi 2", "print v2[5]", "si", "set v2[5] = -100.25",
                                   "set v2[6] as f32 = 7", "print v2[5] v2[6] as f32", "rsi", "print v2[5]", "si",
                                   "print v2[5]", "delete", "c", "restart", "c", "rsi", "memory arg2 32 as f32"])
        self.assertEqual(said[6].splitlines()[0], "0x418c0000  1099694080  17.5f -> 0xc2c88000  -1027047424  -100.25f")
        self.assertIn("forgotten", said[6])
        self.assertEqual(said[7], "21 -> 7\n")
        self.assertEqual(said[8], "v2[5]  -100.25\nv2[6]  7\n")
        self.assertEqual(said[4], said[10])
        self.assertNotIn("17.5f", said[4])
        self.assertEqual(said[12], "v2[5]  0xc2c88000  -1027047424  -100.25f\n")
        self.assertEqual(said[18].split(":")[1].split(), ["0", "3.5", "7", "10.5", "14", "-100.25", "7", "24.5"])

    def test_changes_of_the_past(self):
        said = self.said("sums", ["break debug.cl:27", "c", "set lds[0x20] = 1000", "set lds[0x24]=2000", "print lds[0x20] as u32",
                                  "c", "memory arg0 8 as u32", "restart", "set mem[arg0+4] = 7", "print mem[arg0+4] as u32",
                                  "set exec = 0", "print exec"])
        self.assertRegex(said[3], r"^0x00000008  8  \S+f -> 0x000003e8  1000  \S+f\n$")
        self.assertEqual(said[5], "lds[0x20] 1000\n")
        self.assertRegex(said[9], r"^0x00000000  0  0f -> 0x00000007  7  \S+f\nWhat had been executed after this place is "
                                  r"forgotten: the run goes on from here\.\n$")
        self.assertEqual(said[10], "mem[arg0+4] 7\n")
        self.assertEqual(said[11], "0xffffffffffffffff  lanes 0-63 -> 0x0000000000000000  lanes none\n")
        self.assertIn("0 lanes: none", said[12])

    def test_breakpoints(self):
        said = self.said("saxpy", ["b saxpy+0x10", "b item 200", "disable 1", "c", "delete 2", "enable 1", "c",
                                   "breakpoints", "delete", "breakpoints", "c"])
        self.assertIn("breakpoint 2\ngroup (3, 0, 0)", said[4])
        self.assertIn("breakpoint 1\ngroup (3, 0, 0)", said[7])
        self.assertIn("1   saxpy+0x10, 1 hits", said[8])
        self.assertEqual(said[10], "no breakpoints\n")
        self.assertIn("has ended", said[11])

    def test_help_and_abbreviations(self):
        said = self.said("saxpy", ["help", "help step", "reverse-stepi", "disass saxpy 1", "quit"])
        self.assertIn("reverse-continue  rc", said[1])
        self.assertIn("step [line | instruction | wave | barrier | end] [COUNT]", said[2])

    def test_mistakes(self):
        for command, words in (
                ("nonsense", "no command 'nonsense'; 'help' lists all"), ("re", "may be"),
                ("break", "expected: break PLACE"), ("break nowhere", "no function 'nowhere'"),
                ("break *0x10", "there is no instruction at 0x10"), ("break nothing.cl:3", "has no code of it"),
                ("break 0", "debug.cl:0: there is no such line"), ("list 4294967297", "no such line"),
                ("break debug.cl:4294967308", "debug.cl:4294967308: there is no such line"),
                ("break 4294967308", "no such line"), ("break 18446744073709551628", "no function"),
                ("delete 4294967297", "no breakpoint"), ("disable 4294967297", "no breakpoint"),
                ("break saxpy item 256", "the grid has no work-item 256"), ("break item 1 2", "at the end"),
                ("delete 7", "no breakpoint 7"), ("print v200", "no v200"), ("print q1", "no register 'q1'"),
                ("print v2 as f64", "takes two registers"), ("print v2 as f31", "expected at the end"),
                ("lds", "the kernel has no LDS"), ("memory 16", "the kernel cannot read 0x10"),
                ("memory arg0", "is no buffer"), ("memory x", "is no address"), ("lane 64", "0 to 63"),
                ("wave 1", "the group has 1 waves"), ("wave 1:0", "group 1 has not begun, or has ended"), ("item 256", "has no work-item"), ("step x", "no step 'x'"),
                ("step 0", "is no count"), ("goto x", "expected: goto STEP"), ("registers as f64", "as hex, u32"),
                ("set", "expected: set EXPRESSION = VALUE"), ("set v2[5]", "expected: set EXPRESSION = VALUE"),
                ("set v2 = 1", "name one, as in v3[5]"), ("set v2[64] = 1", "no register 'v2[64]'"),
                ("set v200[1] = 1", "the kernel has"), ("set mode = 1", "mode changes by s_setreg alone"),
                ("set scc = 2", "scc is 0 or 1"), ("set s4 = x", "'x' is no number"), ("set s4 = 4294967296", "more bits"),
                ("set lds[0] = 1", "the group has 0 bytes of LDS"), ("set mem[16] = 1", "cannot read 0x10"),
                ("findings", "start with --check"), ("break finding", "start with --check")):
            self.run_debugger("saxpy", ["# a comment", "", command, "where"], code=2)
            self.assertRegex(self.stderr, rf"commands\.txt:3: .*{re.escape(words)}", command)
        self.run_debugger("saxpy", ["set s4 = 1"], "--check", code=2)
        self.assertIn("commands.txt:1: nothing can be changed under --check", self.stderr)
        self.run_debugger("saxpy", ["c", "where", "waves", "print v0"], code=2)
        self.assertIn("commands.txt:4: the kernel has ended", self.stderr)

    def test_numbers_are_not_cut(self):
        self.run_debugger("saxpy", ["break +0x10", "delete 4294967297"], code=2)
        self.assertIn("commands.txt:2: no breakpoint 4294967297", self.stderr)
        self.run_debugger("saxpy", ["break +0x10", "disable 4294967297"], code=2)
        self.assertIn("commands.txt:2: no breakpoint 4294967297", self.stderr)

    def test_pipe(self):
        by_file = self.run_debugger("saxpy", ["break +0x10", "c", "info registers"])
        by_pipe = self.run_debugger("saxpy", ["break +0x10", "c", "info registers"], way="pipe")
        self.assertEqual(by_file, by_pipe)
        self.assertNotIn("\033", by_pipe)
        self.run_debugger("saxpy", ["x"], way="pipe", code=2)
        self.assertIn("standard input:1: ", self.stderr)

    def debug(self, *more, stdin=subprocess.DEVNULL, limited=False):
        """Exit code and stderr. `limited`: what takes more than 2 GiB of memory of its own is killed."""
        line = [PROGRAM, "debug", str(OBJECTS / "debug-gfx900.co"), "--kernel", "saxpy", *ARGUMENTS["saxpy"], *more]
        process = subprocess.Popen(line, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        most = 0
        while limited and process.poll() is None:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            found = re.search(r"VmRSS:\s+(\d+) kB", status)
            most = max(most, int(found[1]) if found else 0)
            if most > 2 << 20:
                process.kill()
            time.sleep(0.02)
        self.assertLess(most, 2 << 20, "KiB of memory")
        _, stderr = process.communicate(timeout=120)
        return process.returncode, stderr

    def test_lines_that_do_not_end(self):
        words = "a line of more than 65536 bytes is no command\n"
        self.assertEqual(self.debug("-x", "/dev/zero", limited=True), (2, "gcnjit debug: /dev/zero:1: " + words))
        with open("/dev/zero", "rb") as zeros:
            self.assertEqual(self.debug(stdin=zeros, limited=True), (2, "gcnjit debug: standard input:1: " + words))
        self.run_debugger("saxpy", ["where", "# " + 65_000 * "x", "where"])
        self.run_debugger("saxpy", ["where", "#" + 65_536 * "x", "where"], code=2)
        self.assertIn("commands.txt:2: " + words, self.stderr)

    def test_commands_that_cannot_be_read(self):
        for folder in (str(OBJECTS), "/"):
            self.assertEqual(self.debug("-x", folder), (2, f"gcnjit debug: {folder}:1: Is a directory\n"))
        folder = os.open("/", os.O_RDONLY)
        self.assertEqual(self.debug(stdin=folder), (2, "gcnjit debug: standard input:1: Is a directory\n"))
        os.close(folder)
        code, stderr = self.debug("-x", "/nowhere")
        self.assertEqual((code, stderr), (2, "gcnjit debug: cannot read /nowhere: No such file or directory\n"))

    def test_ends_of_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "commands.txt"
            for text, code in (("where", 0), ("", 0), ("\n\nwhere\n\n", 0), ("where\nnonsense", 2)):
                path.write_text(text)
                self.assertEqual(self.debug("-x", str(path))[0], code, text)

    def test_options(self):
        for line, words in ((["--dap", "-x", "/nowhere"], "leave out -x"), (["--check=nonsense"], "--check"),
                            (["--target", "gfx1030"], "gfx1030")):
            run = subprocess.run([PROGRAM, "debug", str(OBJECTS / "debug-gfx900.co"), "--kernel", "saxpy",
                                  *ARGUMENTS["saxpy"], *line], capture_output=True, text=True, timeout=60, input="")
            self.assertEqual(run.returncode, 2)
            self.assertIn(words, run.stderr)
        run = subprocess.run([PROGRAM, "debug"], capture_output=True, text=True, timeout=60, input="")
        self.assertEqual((run.returncode, run.stderr), (2, "gcnjit debug: give CODE_OBJECT and --global, or --dap\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
