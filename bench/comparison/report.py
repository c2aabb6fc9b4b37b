"""Medians, ratios and the table of bench/compare."""
import datetime
import math
import os
import platform
import re
import statistics
import subprocess

# What is reported of whom: how many times faster the first is than the second.
RATIOS = (("avx512", "pocl"), ("avx512", "native"), ("avx2", "pocl"), ("avx2", "native"),
          ("avx512", "avx2"), ("avx512", "interp"), ("avx2", "interp"))


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return (done.stdout.strip() or "unknown").splitlines()[0]


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    system = "unknown"
    if os.path.exists("/etc/os-release"):
        with open("/etc/os-release", encoding="utf-8") as file:
            name = re.search(r'^PRETTY_NAME="?([^"\n]*)', file.read(), re.M)
            system = name.group(1) if name else system
    return {"cpu": model.group(1) if model else "unknown", "processors": os.cpu_count(),
            "kernel": platform.release(), "system": system}


def versions(pocl, root):
    result = {"gcnjit": first_line("git", "-C", root, "describe", "--always", "--dirty"),
              "native": first_line("g++", "--version"),
              "guest code": first_line("clang-15", "--version")}
    if pocl:
        result["pocl"] = f"{pocl['driver']}, {pocl['device']}, {pocl['threads']} thread(s)"
    return result


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(statistics.fmean(map(math.log, values))) if values else None


def means(kernels):
    """By ratio, of those kernels that have it."""
    names = [f"{a}/{b}" for a, b in RATIOS]
    return {n: geometric_mean(k["ratios"].get(n) for k in kernels) for n in names
            if any(n in k["ratios"] for k in kernels)}


def kernel_summary(head, samples, engines):
    """samples: by engine and repetition; repetition 0 is the one that compiles."""
    warm = {e: {r: s for r, s in samples.get(e, {}).items() if r > 0} for e in engines}
    warm = {e: runs for e, runs in warm.items() if runs}

    def median(engine, field):
        return statistics.median(s[field] for s in warm[engine].values())

    compile_ms = {}
    for engine in warm:
        first = samples[engine].get(0, {})
        if engine == "pocl" and first:
            # It compiles when a kernel is first launched.
            compile_ms[engine] = max(0.0, first["cpu_ms"] - median(engine, "cpu_ms"))
        elif engine.startswith("avx") and "compile_ms" in first:
            compile_ms[engine] = first["compile_ms"]
    ratios = {}
    for mine, other in RATIOS:
        pairs = [warm[other][r]["cpu_ms"] / s["cpu_ms"] for r, s in warm.get(mine, {}).items()
                 if r in warm.get(other, {})]
        if pairs:
            ratios[f"{mine}/{other}"] = statistics.median(pairs)
    cpu = {e: median(e, "cpu_ms") for e in warm}
    return {"kernel": head["kernel"], "size": head["size"], "unit": head["unit"],
            "memory_bound": head["memory_bound"], "cpu_ms": cpu,
            "wall_ms": {e: median(e, "wall_ms") for e in warm},
            "rate": {e: head["work"] / (ms * 1e-3) for e, ms in cpu.items()},
            "compile_ms": compile_ms, "ratios": ratios,
            "samples_cpu_ms": {e: [runs[r]["cpu_ms"] for r in sorted(runs)]
                               for e, runs in warm.items()}}


def heading(lines, options, root):
    """What a result says of the run as a whole."""
    pocl = next((line["pocl"] for line in lines if "pocl" in line), None)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(), "versions": versions(pocl, root), "engines": options.engines,
        "repetitions": options.repetitions, "quick": options.quick,
        "pocl_build_ms": pocl["build_ms"] if pocl else None,
    }


def summaries(lines, engines):
    """Of each kernel, and of each of its sizes if it has several."""
    def key(line):
        return line["kernel"], line.get("class")

    samples = {}
    for line in lines:
        if "cpu_ms" in line:
            of_kernel = samples.setdefault(key(line), {})
            of_kernel.setdefault(line["engine"], {})[line["repetition"]] = line
    heads = [line for line in lines if "unit" in line]
    return [kernel_summary(h, samples.get(key(h), {}), engines) for h in heads]


def make(lines, options, root):
    kernels = summaries(lines, options.engines)
    return {
        **heading(lines, options, root),
        "kernels": kernels, "geometric_means": means(kernels),
        "memory_bound_means": means([k for k in kernels if k["memory_bound"]]),
        "errors": [line for line in lines if "error" in line or "refused" in line],
    }


def number(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def times(value):
    return "-" if value is None else f"{value:.2f}x"


def heading_lines(result):
    m = result["machine"]
    return [f"{m['cpu']}, {m['processors']} processors, {m['system']}, Linux {m['kernel']}",
            *(f"{name}: {version}" for name, version in result["versions"].items()),
            f"{result['date']}, repetitions: {result['repetitions']}"
            + (", small sizes (--quick)" if result["quick"] else ""), ""]


def aligned(rows):
    """Columns below each other: the first one to the left, others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) if i == 0 else cell.rjust(w)
                      for i, (cell, w) in enumerate(zip(row, widths))).rstrip() for row in rows]


def text(result):
    engines = result["engines"]
    ratios = [n for n in result["geometric_means"] if not n.endswith("/interp")]
    compiled = [e for e in engines if any(e in k["compile_ms"] for k in result["kernels"])]
    head = ["kernel", "size", *engines, *ratios, *(f"{e} compile" for e in compiled)]
    rows = [head]
    for k in result["kernels"]:
        name = k["kernel"] + (" *" if k["memory_bound"] else "")
        rows.append([name, str(k["size"]), *(number(k["cpu_ms"].get(e)) for e in engines),
                     *(times(k["ratios"].get(n)) for n in ratios),
                     *(number(k["compile_ms"].get(e)) for e in compiled)])
    for title, field in (("geometric mean", "geometric_means"),
                         ("of those with *", "memory_bound_means")):
        if result[field]:
            rows.append([title, "", *("" for _ in engines),
                         *(times(result[field].get(n)) for n in ratios), *("" for _ in compiled)])
    lines = heading_lines(result) + aligned(rows)
    lines += ["", "interp to native: CPU milliseconds of a run, summed over threads; a/b: how many "
              "times faster a is than b;", "compile: milliseconds, once; *: bound by memory"]
    if result["pocl_build_ms"] is not None:
        lines.append(f"PoCL: besides, {result['pocl_build_ms']:.0f} ms for clBuildProgram of all "
                     "kernels. gcnjit's kernels were compiled to GPU code beforehand.")
    for ratio in result["geometric_means"]:
        if ratio.endswith("/interp"):
            lines.append(f"{ratio}: {times(result['geometric_means'][ratio])} (geometric mean)")
    lines += [f"error: {e['kernel']} on {e['engine']}: {e.get('error') or e['refused']}"
              for e in result["errors"]]
    return "\n".join(lines)
