"""gcnjit fuzz --shard and --merge: do the parts of a campaign make up the whole, wherever I and N come from?"""
import itertools
import json
import os
import unittest

from tools import gcnjit, path

PROGRAMS = ("fuzz", "--gen", "gfx700,gfx906", "--engines", "interp,avx2", "--count", "20", "--seed", "3", "--json")
SWEEP = ("fuzz", "--gen", "gfx803", "--engines", "interp,avx2", "--sweep", "--quick", "--json")
for variable in ("OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "CI_NODE_INDEX"):
    os.environ.pop(variable, None)  # of where the tests run
NUMBERS = itertools.count()


def report(*command, **variables):
    return json.loads(gcnjit(*command, **variables))


def shards(command, count):
    """Runs them, and returns where the reports are."""
    files = []
    for number in range(1, count + 1):
        files.append(path(f"{next(NUMBERS)}.json"))
        with open(files[-1], "w") as file:
            file.write(gcnjit(*command, "--shard", f"{number}/{count}"))
    return files


class ShardsTest(unittest.TestCase):
    def test_programs(self):
        whole = report(*PROGRAMS)
        files = shards(PROGRAMS, 3)
        parts = [json.load(open(file)) for file in files]
        self.assertEqual([part["targets"]["gfx700"]["programs"] for part in parts], [7, 7, 6])
        self.assertEqual(parts[1]["shard"], {"number": 2, "count": 3})
        merged = report("fuzz", "--json", "--merge", *files)
        self.assertEqual(merged["seconds"], max(part["seconds"] for part in parts))
        for report_ in (whole, merged):
            report_.pop("seconds")
            report_.pop("shard", None)
        self.assertEqual(merged, whole)
        self.assertEqual(gcnjit("fuzz", "--merge", *files).splitlines()[0].split(",")[:2],
                         ["gfx700: 20 programs", " 0 failed"])

    def test_sweep(self):
        merged = report("fuzz", "--json", "--merge", *shards(SWEEP, 2))["targets"]["gfx803"]
        whole = report(*SWEEP)["targets"]["gfx803"]
        self.assertEqual(merged["rows"], whole["rows"])
        self.assertTrue(merged["complete"])

    def test_failures(self):
        """One shard has found one; all of it is in the merged report, which fails."""
        planted = ("fuzz", "--gen", "gfx803", "--engines", "interp,wrong:V_ADD_F32:V_SUB_F32", "--count", "4000",
                   "--failures", "1", "--json")
        files = []
        for number in (1, 2):
            files.append(path(f"planted-{number}.json"))
            found = gcnjit(*planted, "--shard", f"{number}/2", code=4)
            with open(files[-1], "w") as file:
                file.write(found)
        commands = [json.load(open(file))["failures"][0]["command"] for file in files]
        self.assertEqual(len(set(commands)), 2)
        text = gcnjit("fuzz", "--merge", *files, "--junit", path("merged.xml"), code=4)
        for command in commands:
            self.assertIn(f"repeat with {command}", text)
            self.assertNotIn("--shard", command)
            self.assertIn(command, open(path("merged.xml")).read())
        self.assertIn("2 failed", text)

    def test_what_does_not_fit_together(self):
        files = shards(PROGRAMS, 3)
        for wrong, words in ((files[:2], "of 3 shards there is no report of 3"),
                             (files + files[:1], "shard 1 is there already"),
                             (files[:2] + shards(PROGRAMS[:-2] + ("4", "--json"), 3)[2:], "'seed' is 3 and 4"),
                             (files[:2] + shards(PROGRAMS, 2)[:1], "'shards' is 3 and 2"),
                             ([path("none.json")], "none.json")):
            self.assertIn(words, gcnjit("fuzz", "--merge", *wrong, code=2))
        deep = "[" * 200_000 + "]" * 200_000
        for text in ("", "[1]", "{}", '{"shard": {"number": 1, "count": 1}, "targets": 7}', deep,
                     f'{{"engines": {deep}, "failures": [], "shard": {{"number": 1, "count": 1}}, "targets": {{}}}}'):
            with open(path("bad.json"), "w") as file:
                file.write(text)
            self.assertIn("bad.json: no report of", gcnjit("fuzz", "--merge", path("bad.json"), code=2))

    def test_variables(self):
        openmpi = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "5"}
        slurm = {"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}
        gitlab = {"CI_NODE_INDEX": "7", "CI_NODE_TOTAL": "7"}
        one = ("fuzz", "--gen", "gfx900", "--engines", "interp,avx2", "--count", "2", "--json", "--shard", "auto")
        for variables, shard in ((openmpi, (3, 5)), (slurm, (1, 4)), (gitlab, (7, 7)), ({**openmpi, **slurm}, (3, 5)),
                                 ({**slurm, **gitlab}, (1, 4))):
            found = report(*one, **variables)["shard"]
            self.assertEqual((found["number"], found["count"]), shard)
        self.assertIn("neither OMPI_COMM_WORLD_RANK nor", gcnjit(*one, code=2))
        self.assertIn("CI_NODE_INDEX=0 and CI_NODE_TOTAL=7",
                      gcnjit(*one, code=2, CI_NODE_INDEX="0", CI_NODE_TOTAL="7"))
        self.assertIn("SLURM_PROCID=4", gcnjit(*one, code=2, SLURM_PROCID="4", SLURM_NTASKS="4"))
        self.assertEqual(report(*one[:-2], **gitlab)["shard"], {"number": 1, "count": 1})  # not asked for

    def test_refused(self):
        for text in ("0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/5", "/"):
            self.assertIn(f"--shard '{text}'", gcnjit("fuzz", "--count", "1", "--shard", text, code=2))
        self.assertIn("excludes", gcnjit("fuzz", "--merge", "x.json", "--shard", "1/2", code=2))


unittest.main()
