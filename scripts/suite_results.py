"""The logs of scripts/suites: the table of docs/suites.md, and the comparison of engines."""
import fnmatch
import glob
import json
import os
import re
import sys
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(ROOT, "docs/suites.md")
BEGIN = "<!-- suites: scripts/suites --table -->\n"
END = "<!-- end of suites -->\n"
BAD = ("failed", "crashed", "slow")
UNEXPLAINED = "ours, open"
RELEASES = ("bookworm", "trixie", "sid")


def data():
    with open(os.path.join(ROOT, "scripts/suites.toml"), "rb") as file:
        return tomllib.load(file)


def suites(release, wanted):
    """The suites that the release has packages of."""
    table = [suite for suite in data()["suite"] if release in suite["packages"]]
    names = [name for name in wanted.split(",") if name]
    unknown = set(names) - {suite["name"] for suite in table}
    if unknown or not table:
        sys.exit(f"suites: no suite {', '.join(sorted(unknown))} in {release};"
                 f" scripts/suites {release} --list names them")
    return [suite for suite in table if not names or suite["name"] in names]


def log_path(release):
    return os.path.join(ROOT, f"build/suites-{release}.jsonl")


def read_log(release):
    if not os.path.exists(log_path(release)):
        return []
    with open(log_path(release)) as file:
        return [json.loads(line) for line in file if line.strip()]


def append(release, entry):
    with open(log_path(release), "a") as log:
        log.write(json.dumps(entry) + "\n")


def reason(entry, test):
    """Why a test fails, by the first of the reasons that fits."""
    for each in data().get("reason", []):
        if any(fnmatch.fnmatchcase(f"{entry['suite']}:{entry['program']}:{test}", pattern)
               for pattern in each["tests"]) and entry["device"] in each.get("devices", [entry["device"]]):
            return each["why"]
    return UNEXPLAINED


def unexplained(entry):
    return sum(reason(entry, test) == UNEXPLAINED for verdict in BAD for test in entry[verdict])


def latest(entries):
    """Of each test of a program the latest run: the entries without what later ones have run again."""
    kept, seen = [], set()
    for entry in reversed(entries):
        if entry["selection"] == "wanted":
            continue
        key = (entry["suite"], entry["program"], entry["selection"], entry["part"], entry["device"],
               entry["engine"])
        if key not in seen:
            seen.add(key)
            kept.append(entry)
    return kept[::-1]


def total(entries, verdict):
    return sum(len(entry[verdict]) for entry in entries)


def row(release, entries):
    first = entries[-1]
    failed = sum(total(entries, verdict) for verdict in BAD)
    commits = list(dict.fromkeys(entry["commit"] for entry in entries))
    cells = [release, f"{first['suite']} {first['version']}", first["device"], first["selection"],
             f"{total(entries, 'passed') + failed:,}", f"{total(entries, 'passed'):,}", f"{failed:,}",
             f"{total(entries, 'skipped'):,}", f"{total(entries, 'not_run'):,}",
             f"{sum(entry['seconds'] for entry in entries):,.0f}", " ".join(commits)]
    return f"| {' | '.join(cells)} |"


def failures(release, entries):
    """Lines of the table of failures: tests of the same cause are one."""
    groups = {}
    for entry in entries:
        for verdict in BAD:
            for test in entry[verdict]:
                why = reason(entry, test)
                words = {"failed": "", "crashed": " (crashes)", "slow": " (slow)"}[verdict]
                key = (entry["suite"], why, entry["program"] + ": " + test + words
                       if why == UNEXPLAINED else "")
                groups.setdefault(key, []).append((entry["device"], f"{entry['program']}: {test}{words}"))
    for (suite, why, _), tests in sorted(groups.items()):
        devices = ", ".join(sorted({device for device, _ in tests}))
        names = list(dict.fromkeys(name for _, name in tests))
        what = names[0] if len(names) == 1 else f"{len(names)} tests, the first: {names[0]}"
        yield f"| {release} | {suite} | {what.replace('|', chr(92) + '|')} | {devices} | {why} |"


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def kept_lines(before, runs):
    """Of the tables as they are in the document: the rows and failures of runs that no log here has."""
    rows, failing = [], []
    for line in before.splitlines():
        fields = cells(line)
        if not fields or fields[0] not in RELEASES:
            continue
        if len(fields) == 11:
            run = (fields[0], fields[1].split()[0], fields[2], fields[3])
            rows += [] if run in runs else [line]
        else:
            devices = {device for release, suite, device, _ in runs if [release, suite] == fields[:2]}
            failing += [] if set(fields[3].split(", ")) <= devices else [line]
    return rows, failing


def by_release(line):
    """Newest Debian first."""
    return (-RELEASES.index(cells(line)[0]), *cells(line)[1:3])


def table_text(before=""):
    """`before`: the tables as they are."""
    head = ["| | suite | device | selection | run | passed | failed | skipped | not run | seconds | commit |",
            "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"]
    between = ["", "| | suite | failing test | device | reason |", "| --- | --- | --- | --- | --- |"]
    rows, lines, runs = [], [], set()
    for path in sorted(glob.glob(log_path("*")), reverse=True):
        release = os.path.basename(path)[len("suites-"):-len(".jsonl")]
        entries = [entry for entry in latest(read_log(release)) if entry["engine"] == "jit"]
        keys = dict.fromkeys((entry["suite"], entry["device"], entry["selection"]) for entry in entries)
        runs |= {(release, *key) for key in keys}
        for key in keys:
            rows.append(row(release, [entry for entry in entries if key == (
                entry["suite"], entry["device"], entry["selection"])]))
        lines += failures(release, entries)
    other_rows, other_lines = kept_lines(before, runs)
    rows = sorted(rows + other_rows, key=by_release)
    lines = sorted(lines + other_lines, key=by_release)
    return "\n".join(head + rows + (between + lines if lines else [])) + "\n"


def write_table():
    with open(DOCUMENT) as file:
        document = file.read()
    if BEGIN not in document or END not in document:
        sys.exit(f"suites: {DOCUMENT} has no '{BEGIN.strip()}' and '{END.strip()}'")
    before, rest = document.split(BEGIN, 1)
    with open(DOCUMENT, "w") as file:
        table, after = rest.split(END, 1)
        file.write(before + BEGIN + table_text(table) + END + after)
    return 0


def compare(release, names):
    """Prints where engines gave different verdicts; the exit code is 1 then."""
    verdicts = {}
    for entry in latest(read_log(release)):
        if entry["suite"] in names:
            tests = verdicts.setdefault((entry["suite"], entry["device"]), {})
            for verdict in ("passed", "failed", "crashed", "skipped"):
                for test in entry[verdict]:
                    tests.setdefault(f"{entry['program']}: {test}", {})[entry["engine"]] = verdict
    different = 0
    for (suite, device), tests in sorted(verdicts.items()):
        both = {test: engines for test, engines in tests.items() if len(engines) > 1}
        if not both:
            continue
        apart = {test: engines for test, engines in both.items() if len(set(engines.values())) > 1}
        used = sorted({engine for engines in both.values() for engine in engines})
        print(f"{suite} {device}: {len(both)} tests in {', '.join(used)}: {len(apart)} with different verdicts")
        for test, engines in apart.items():
            print(f"    {test}: " + ", ".join(f"{engine} {verdict}" for engine, verdict in engines.items()))
        different += len(apart)
    return int(different != 0)
