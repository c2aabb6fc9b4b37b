"""gcnjit fuzz --shard and --merge: do the parts of a campaign make up the whole, wherever I and N come from?"""
import itertools
import json
import os
import unittest

from tools import gcnjit, path

PROGRAMS = ("fuzz", "--gen", "gfx700,gfx906", "--engines", "interp,avx2", "--count", "20", "--seed", "3", "--json")
SWEEP = ("fuzz", "--gen", "gfx803", "--engines", "interp,avx2", "--sweep", "--quick", "--json")
for variable in ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID", "SLURM_NTASKS", "CI_NODE_INDEX",
                 "CI_NODE_TOTAL"):
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

    def test_sweeps_of_different_instructions(self):
        sweep = SWEEP[:5] + ("--json",)
        one, other = shards(sweep + ("--sweep=V_FMA_F32", "--quick"), 2), shards(sweep + ("--sweep=V_ADD_F32", "--quick"), 2)
        merged = report("fuzz", "--merge", *other, "--json")
        self.assertEqual((merged["sweep"], merged["quick"]), ("V_ADD_F32", True))
        for files, words in (((one[0], other[1]), "'sweep' is \"V_FMA_F32\" and \"V_ADD_F32\""),
                             ((one[0], shards(sweep + ("--sweep=V_FMA_F32",), 2)[1]), "'quick' is true and false"),
                             ((one[0], shards(sweep + ("--sweep", "--quick"), 2)[1]), "\"all\""),
                             ((shards(PROGRAMS, 2)[0], one[1]), "are of different campaigns")):
            self.assertIn(words, gcnjit("fuzz", "--merge", *files, code=2))

    def test_damaged_reports(self):
        """What cannot be added is refused by name; what counts a failure is one."""
        first, second = shards(PROGRAMS, 2)
        merged = path("merged.json")
        with open(merged, "w") as file:
            file.write(gcnjit("fuzz", "--merge", first, second, "--json"))
        self.assertIn("merged.json: no report of 'gcnjit fuzz --json': it is merged already",
                      gcnjit("fuzz", "--merge", merged, code=2))
        place, failure = ("targets", "gfx906"), {"target": "gfx906", "report": "x", "command": "y"}
        for where, name, value, words in (
                (place, "failed", -1, "'targets.gfx906.failed' is -1, no whole number from 0 to"),
                (place, "programs", -5, "'targets.gfx906.programs' is -5"),
                (place, "programs", 2**64 - 1, "'targets.gfx906.programs' is 18446744073709551615, no"),
                (place, "programs", 2**70, "'targets.gfx906.programs' is"),
                (place, "programs", 1.5, "'targets.gfx906.programs' is 1.5"),
                (place, "programs", "1", "'targets.gfx906.programs' is \"1\""),
                (place, "other", 1, "'targets.gfx906.other' is unknown"),
                ((), "instructions", [], "'instructions' is a list"),
                ((), "seconds", -1, "'seconds' is -1, no number of seconds"),
                ((), "targets", {}, "'targets' has none"),
                ((), "targets", {"gfx906": 7}, "'targets.gfx906' is 7, no object"),
                ((), "targets", {"gfx906": {}}, "there is no 'targets.gfx906.failed'"),
                ((), "sweep", "all", "both of 'sweep' and 'states'"),
                ((), "engines", [1], "'engines' has what is no text"),
                ((), "failures", ["x"], "'failures.0' is \"x\", no object"),
                ((), "failures", [{"a": 1}], "there is no 'failures.0.target'"),
                ((), "failures", [{**failure, "target": "gfx803"}], "'failures.0.target' is \"gfx803\", none of"),
                ((), "failures", [{**failure, "report": 1}], "'failures.0.report' is 1, no text"),
                (("shard",), "number", 9, "its shard 9/2 is not from 1 to 2"),
                (("shard",), "number", 0, "its shard 0/2 is not from 1 to 2"),
                (("shard",), "number", -2, "'shard.number' is -2"),
                (("shard",), "count", 100_001, "it is of 100001 shards, more than 100000"),
                (place, "failed", 1, None), ((), "failed", 1, None), ((), "failures", [failure], None)):
            damaged = json.load(open(second))
            part = damaged
            for step in where:
                part = part[step]
            part[name] = value
            with open(path("damaged.json"), "w") as file:
                json.dump(damaged, file)
            out = gcnjit("fuzz", "--merge", first, path("damaged.json"), code=2 if words else 4)
            if words:
                self.assertIn(f"damaged.json: no report of 'gcnjit fuzz --json': ", out)
                self.assertIn(words, out)

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
        self.assertIn("OMPI_COMM_WORLD_RANK is set, but OMPI_COMM_WORLD_SIZE is not",
                      gcnjit(*one, code=2, OMPI_COMM_WORLD_RANK="0", CI_NODE_TOTAL="1"))
        self.assertIn("CI_NODE_TOTAL is set, but CI_NODE_INDEX is not", gcnjit(*one, code=2, CI_NODE_TOTAL="1"))
        self.assertEqual(report(*one, SLURM_NTASKS="1", **gitlab)["shard"], {"number": 7, "count": 7})
        self.assertIn("CI_NODE_INDEX=0 and CI_NODE_TOTAL=7",
                      gcnjit(*one, code=2, CI_NODE_INDEX="0", CI_NODE_TOTAL="7"))
        self.assertIn("SLURM_PROCID=4", gcnjit(*one, code=2, SLURM_PROCID="4", SLURM_NTASKS="4"))
        self.assertEqual(report(*one[:-2], **gitlab)["shard"], {"number": 1, "count": 1})  # not asked for

    def test_refused(self):
        for text in ("0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/5", "/", "1/100001"):
            self.assertIn(f"--shard '{text}'", gcnjit("fuzz", "--count", "1", "--shard", text, code=2))
        self.assertIn("excludes", gcnjit("fuzz", "--merge", "x.json", "--shard", "1/2", code=2))


unittest.main()
