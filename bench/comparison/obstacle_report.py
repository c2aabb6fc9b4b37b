"""The table of bench/obstacles: what each costs, on each engine."""
import statistics

import report


def make(lines, options, root):
    times = {}  # by kernel, engine and repetition
    for line in lines:
        if "cpu_ms" in line and line["repetition"] > 0:
            runs = times.setdefault((line["kernel"], line["engine"]), {})
            runs[line["repetition"]] = line["cpu_ms"]
    pairs = []
    for line in lines:
        if "obstacle" not in line:
            continue
        costs = {}
        for engine in options.engines:
            other = (line["without"], engine) if line["without"] else (line["kernel"], "native")
            mine, plain = times.get((line["kernel"], engine), {}), times.get(other, {})
            ratios = [mine[r] / plain[r] for r in mine if r in plain]
            if ratios and (line["without"] or engine != "native"):
                costs[engine] = statistics.median(ratios)
        if costs:
            pairs.append({**line, "costs": costs})
    return {**report.heading(lines, options, root), "sizes": options.sizes, "pairs": pairs,
            "errors": [line for line in lines if "error" in line]}


def text(result):
    engines = result["engines"]
    rows = [["times as long as without it", *engines]]
    for pair in result["pairs"]:
        rows.append([pair["obstacle"], *(f"{pair['costs'][e]:.2f}" if e in pair["costs"] else "-"
                                         for e in engines)])
    lines = report.heading_lines(result) + report.aligned(rows)
    lines += [f"error: {e['kernel']} on {e['engine']}: {e['error']}" for e in result["errors"]]
    return "\n".join(lines)


def markdown(table_text):
    return ("# What makes kernels slow: a run\n\n"
            "Written by `scripts/bench --obstacles --markdown docs/obstacles.md`, not by hand. Each number says how many times as long a kernel takes "
            "as another one that does\nas much without what makes the first hard to compile well, on the same engine; or as a "
            "native loop. [bench/README.md](../bench/README.md) says more.\n\n"
            f"```text\n{table_text}\n```\n")
