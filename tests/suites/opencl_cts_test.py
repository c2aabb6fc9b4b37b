#!/usr/bin/env python3
"""Does scripts/opencl-cts build what is asked for, and say how each run ended?"""
import json
import os
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "../../scripts/opencl-cts")
FAKE = os.path.join(HERE, "fake_cts")


def run(*options, **environment):
    return subprocess.run([SCRIPT, FAKE, "--gcnjit", os.path.join(FAKE, "gcnjit"), *options],
                          capture_output=True, text=True, env=os.environ | environment)


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = folder.name

    def test_each_end(self):
        made = run("--work", self.work, "--only", "fills", "--whole", "--timeout", "5", "--json")
        self.assertEqual(made.returncode, 1, made.stderr)
        report = json.loads(made.stdout)
        self.assertEqual([(entry["test"], entry["verdict"], entry["why"]) for entry in report["runs"]], [
            ("1D", "passed", ""), ("2D", "failed", "ERROR: Sample 0 does not validate"),
            ("3D", "crashed", "memory write fault in kernel 'k' (gfx906)"), ("1Darray", "skipped", ""),
            ("2Darray", "slow", "Compute Device Name = gfx906:xnack-, Compute Device Vendor = Fake")])
        self.assertEqual([entry["formats"] for entry in report["runs"]], [2, 0, 0, 0, 0])
        self.assertEqual(report["counts"], {"passed": 1, "failed": 1, "crashed": 1, "slow": 1, "skipped": 1})

    def test_selection(self):
        made = run("--work", self.work, "--only", "reads,fills", "--tests", "1D,1Darray", "--engine", "interp,jit",
                   "--device", "gfx803,gfx900", "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        entries = json.loads(made.stdout)["runs"]
        self.assertEqual(len(entries), 2 * 2 * 2 * (2 + 3))
        self.assertEqual({(entry["device"], entry["engine"]) for entry in entries},
                         {(device, engine) for device in ("gfx803", "gfx900") for engine in ("interp", "jit")})
        self.assertTrue(all(entry["options"].startswith("read CL_") for entry in entries if entry["suite"] == "reads"))
        with open(os.path.join(self.work, "fills-1D-gfx803-interp-CL_R-CL_FLOAT-small_images.out")) as file:
            self.assertIn("engine interp\n", file.read())

    def test_text(self):
        made = run("--work", self.work, "--only", "fills", "--tests", "1D,2D", "--whole")
        self.assertEqual(made.stdout, "failed: fills 2D small_images on gfx906, jit: ERROR: Sample 0 does not "
                                      "validate\n2 runs, 2 formats with samplers: 1 passed, 1 failed\n")

    def test_options(self):
        made = run("--work", self.work, "--only", "reads", "--tests", "1D", "--options", "CL_RA rounding", "--json")
        self.assertEqual([entry["options"] for entry in json.loads(made.stdout)["runs"]], ["read CL_RA rounding"])
        self.assertTrue(os.path.exists(os.path.join(self.work, "reads-1D-gfx906-jit-read-CL_RA-rounding.err")))

    def test_no_format(self):
        made = run("--work", self.work, "--only", "copies", "--tests", "2Dto3D", "--whole")
        self.assertEqual((made.returncode, made.stdout), (0, "1 runs, 0 formats with samplers: 1 skipped\n"))

    def test_another_device(self):
        made = run("--work", self.work, "--only", "fills", "--tests", "1D", FAKE_DEVICE="pthread-cpu")
        self.assertEqual(made.returncode, 1)
        self.assertIn("found another device than gfx906", made.stderr)

    def test_mistakes(self):
        for options, said in ((["--only", "reeds"], "there is no reeds"), (["--engine", "fast"], "there is no fast"),
                              (["--tests", "4D"], "there is no 4D"), (["--timeout", "0"], "above 0"),
                              (["--whole", "--options", ""], "exclude each other")):
            made = run("--work", self.work, *options)
            self.assertEqual((made.returncode, made.stdout), (2, ""))
            self.assertIn(said, made.stderr)
        made = run("--work", self.work, "--only", "info")
        self.assertIn("failed; see", made.stderr)


if __name__ == "__main__":
    unittest.main()
