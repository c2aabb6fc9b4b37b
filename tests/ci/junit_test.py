"""--junit of run, exec, diff and fuzz: is it what Jenkins' schema (junit-10.xsd) and a parser take, and does it say what
happened?"""
import os
import signal
import unittest
import xml.etree.ElementTree as ElementTree

from tools import HERE, OBJECTS, SOURCE, gcnjit, path, run

OBJECT = OBJECTS / "cli-gfx900.co"
MISTAKES = OBJECTS.parent / "hip/mistakes"
SCALE = ("--kernel", "scale", "--global", "64", "--arg", "buf:256", "--arg", "iota:u32:64", "--arg", "u32:3")


class JunitTest(unittest.TestCase):
    def report(self, *arguments, code, command=()):
        """[(class, name, what is wrong, its message, its text)] of a suite. `command`: what exec runs."""
        file = path("report.xml")
        if os.path.exists(file):
            os.remove(file)
        gcnjit(*arguments, "--junit", file, *(["--", *command] if command else []), code=code)
        run("xmllint", "--noout", "--schema", HERE / "junit-10.xsd", file)
        suite = ElementTree.parse(file).getroot()
        self.assertEqual(suite.tag, "testsuite")
        tests = []
        for case in suite:
            wrong = list(case)
            self.assertLessEqual(len(wrong), 1)
            what = (wrong[0].tag, wrong[0].get("message"), wrong[0].text) if wrong else (None, None, None)
            tests.append((case.get("classname"), case.get("name"), *what))
        for attribute, tag in (("failures", "failure"), ("errors", "error")):
            self.assertEqual(int(suite.get(attribute)), sum(test[2] == tag for test in tests))
        self.assertEqual(int(suite.get("tests")), len(tests))
        self.name = suite.get("name")
        return tests

    def test_run(self):
        self.assertEqual(self.report("run", OBJECT, *SCALE, code=0), [("scale", "ends", None, None, None)])
        self.assertEqual(self.name, f"gcnjit run {OBJECT}")

    def test_check(self):
        names = ["ends", "memory", "races", "waits", "barriers", "uninit", "atomics"]
        tests = self.report("run", OBJECT, *SCALE, "--check", code=0)
        self.assertEqual([test[1:3] for test in tests], [(name, None) for name in names])
        short = [word.replace("buf:256", "buf:128") for word in SCALE]
        tests = self.report("run", OBJECT, *short, "--check", code=6)
        self.assertEqual([test[1:3] for test in tests], [(name, "failure" if name == "memory" else None) for name in names])
        self.assertRegex(tests[1][3], "^out-of-bounds at global_store_dword ")
        self.assertIn("0 bytes past the end of the 128-byte allocation", tests[1][4])
        tests = self.report("run", OBJECT, *short, "--check=races,waits", code=0)
        self.assertEqual([test[1] for test in tests], ["ends", "races", "waits"])

    def test_what_does_not_end_well(self):
        tests = self.report("run", OBJECT, "--kernel", "trap", "--global", "64", "--arg", "buf:256", code=3)
        self.assertEqual(tests[0][:3], ("trap", "ends", "error"))
        self.assertIn("s_trap", tests[0][3])
        self.assertIn("in kernel 'trap' (gfx900)", tests[0][4])
        tests = self.report("run", OBJECT, "--kernel", "endless", "--global", "64", "--arg", "buf:256", "--timeout", "0.2",
                            code=5)
        self.assertEqual(tests[0][1:4], ("ends", "error", "time-out"))

    @unittest.skipUnless(os.path.exists(MISTAKES), "there is no HIP")
    def test_exec(self):
        names = ["ends", "memory", "races", "waits", "barriers", "uninit", "atomics"]
        for arguments, code in (([], 0), (["fatal"], -signal.SIGABRT)):
            tests = self.report("exec", "--check", code=code, command=[MISTAKES, *arguments])
            self.assertEqual(self.name, " ".join(["gcnjit exec", str(MISTAKES), *arguments]))
            kernels = look, shift, reverse = ("_Z4LookPfP13__hip_texture", "_Z5ShiftPKjPj", "_Z7ReversePj")
            self.assertEqual([test[:2] for test in tests], [(kernel, name) for kernel in kernels for name in names])
            wrong = {test[:3] for test in tests if test[2]}
            expected = {(shift, "memory", "failure"), (reverse, "races", "failure"), (reverse, "uninit", "failure"),
                        (look, "uninit", "failure")}
            self.assertEqual(wrong, expected | ({(shift, "ends", "error")} if arguments else set()))
            of_shift = [test for test in tests if test[0] == shift]
            self.assertRegex(of_shift[1][3], "^out-of-bounds at global_load_dword ")
        self.assertRegex(of_shift[0][3], "^memory read fault at global_load_dword ")
        self.assertEqual([test[:3] for test in self.report("exec", code=0, command=[MISTAKES])],
                         [(kernel, "ends", None) for kernel in kernels])

    @unittest.skipUnless(os.path.exists(MISTAKES), "there is no HIP")
    def test_exec_by_a_link(self):
        """The library writes where the link leads, and the file's mode stays."""
        real, link = path("real.xml"), path("link.xml")
        with open(real, "w") as file:
            file.write("old")
        os.chmod(real, 0o600)
        os.symlink("real.xml", link)
        gcnjit("exec", "--junit", link, "--", MISTAKES)
        self.assertTrue(os.path.islink(link))
        self.assertEqual(os.stat(real).st_mode & 0o777, 0o600)
        self.assertNotEqual(ElementTree.parse(real).getroot().get("tests"), "0")

    def test_diff(self):
        tests = self.report("diff", OBJECT, *SCALE, "--engines", "interp,avx2", code=0)
        self.assertEqual(tests, [("scale", "interp,avx2", None, None, None)])
        case = path("case.json")
        wrong = "wrong:V_MUL_LO_U32:V_MUL_HI_U32"
        tests = self.report("diff", OBJECT, *SCALE, "--engines", f"interp,{wrong}", "--case", case, code=4)
        self.assertEqual(tests[0][2], "failure")
        self.assertRegex(tests[0][3], f"^{wrong} differs from interp in work-group")
        self.assertIn("v_mul_lo_u32", tests[0][4])
        tests = self.report("diff", "--replay", case, code=4)
        self.assertEqual(tests[0][:3], ("replay", f"interp,{wrong}", "failure"))
        self.assertEqual(self.name, f"gcnjit diff {case}")
        of_rows = wrong.replace("wrong", "wrong-rows")
        scale = ("--kernel", "scale", "--global", "128", "--arg", "buf:512", "--arg", "iota:u32:128", "--arg", "u32:3")
        tests = self.report("diff", OBJECT, *scale, "--engines", f"interp,{of_rows}", "--case", case, code=4)
        self.assertEqual(tests[0][2], "failure")
        self.assertRegex(tests[0][3], f"^The whole launch in {of_rows} differs from interp")
        self.assertIn("arg 0 + 0x100: expected 0x", tests[0][4])
        tests = self.report("diff", OBJECT, "--kernel", "trap", "--global", "64", "--arg", "buf:256", code=3)
        self.assertEqual(tests[0][2:4], ("error", "all engines ended with the same fault"))

    def test_fuzz(self):
        targets = ("--gen", "gfx803,gfx900", "--engines")
        tests = self.report("fuzz", "--count", "5", *targets, "interp,avx2", code=0)
        self.assertEqual(tests, [(target, "interp,avx2", None, None, None) for target in ("gfx803", "gfx900")])
        planted = "interp,wrong:S_BFE_U32:S_BFE_I32"
        tests = self.report("fuzz", "--sweep=S_BFE_U32", *targets, planted, code=4)
        self.assertEqual([test[2] for test in tests], ["failure", "failure"])
        self.assertRegex(tests[0][3], r"^1 rows, \d+ waves, 1 failed, ")
        self.assertIn("repeat with gcnjit fuzz --sweep=S_BFE_U32 --gen gfx803", tests[0][4])

    def test_any_name(self):
        """Kernels' names are plain text, files' may be anything."""
        source = (SOURCE / "tests/cli/bare_v4.s").read_text().replace("squares", '"<a>&b"')
        with open(path("strange.s"), "w") as file:
            file.write(source)
        name = path("\x01\udcff\udced\udca0\udc80é.co")  # bytes that are no UTF-8
        run(os.environ["ASSEMBLER"], "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-mcode-object-version=4",
            path("strange.s"), "-o", name)
        tests = self.report("run", name, "--global", "64", "--arg", "buf:256", "--arg", "u32:1", code=0)
        self.assertEqual(tests[0][0], "<a>&b")
        self.assertEqual(self.name.rpartition("/")[2], "\N{REPLACEMENT CHARACTER}" * 5 + "é.co")

    def test_where_it_cannot_be_written(self):
        for command in (("run", OBJECT, *SCALE), ("exec", "--device", "gfx900"), ("diff", OBJECT, *SCALE),
                        ("fuzz", "--count", "1")):
            out = gcnjit(*command, "--junit", path("nowhere/report.xml"), *(["--", "true"] if command[0] == "exec" else []), code=2)
            self.assertIn("nowhere/report.xml", out)


unittest.main()
