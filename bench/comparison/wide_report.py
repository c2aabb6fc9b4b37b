"""Tables of the wide benchmark: by size, and the kernels that are slow with what they wait for."""
import report

RATIOS = ("avx512/pocl", "avx512/native", "avx2/pocl", "avx2/native")
# Kernels below these are slow.
BOUNDS = {"pocl": 1.0, "native": 0.5}
# Why there is no time of an engine, as tables say it.
NOT_TIMED = ("refused", "error")
PLACES = 3  # that are shown of a slow kernel


def make(lines, options, root):
    kernels = report.summaries(lines, options.engines)
    heads = [line for line in lines if "unit" in line]
    for kernel, head in zip(kernels, heads):
        kernel["class"] = head["class"]
        of_kernel = [line for line in lines if "engine" in line
                     and (line["kernel"], line["class"]) == (head["kernel"], head["class"])]
        for kind in NOT_TIMED:
            kernel[kind] = {line["engine"]: line[kind] for line in of_kernel if kind in line}
        kernel["hot"] = {}
    result = {**report.heading(lines, options, root), "sizes": options.sizes, "kernels": kernels}
    result["geometric_means"] = {size: means([k for k in kernels if k["class"] == size])
                                 for size in options.sizes}
    result["geometric_means"]["all"] = means(kernels)
    return result


def means(kernels):
    every = report.means(kernels)
    return {name: every[name] for name in RATIOS if name in every}


def slow_ratios(kernel, engine):
    """Of an engine, those that are below their bounds: by rival."""
    pairs = {rival: kernel["ratios"].get(f"{engine}/{rival}") for rival in BOUNDS}
    return {rival: r for rival, r in pairs.items() if r is not None and r < BOUNDS[rival]}


def slow_kernels(result):
    """Names by size, of those that are slow on some engine."""
    names = {}
    for kernel in result["kernels"]:
        if any(slow_ratios(kernel, e) for e in result["engines"]):
            names.setdefault(kernel["class"], []).append(kernel["kernel"])
    return names


def add_profiles(result, lines):
    kernels = {(k["kernel"], k["class"]): k for k in result["kernels"]}
    for line in lines:
        if "hot" in line:
            kernels[line["kernel"], line["class"]]["hot"][line["engine"]] = line["hot"]


def table(result, size):
    engines = result["engines"]
    ratios = [n for n in RATIOS if n in result["geometric_means"][size]]
    rows = [[f"{size}", "n", *engines, *ratios]]
    for k in result["kernels"]:
        if k["class"] != size:
            continue
        times = [next((kind for kind in NOT_TIMED if e in k[kind]),
                      report.number(k["cpu_ms"].get(e))) for e in engines]
        rows.append([k["kernel"], str(k["size"]), *times,
                     *(report.times(k["ratios"].get(n)) for n in ratios)])
    rows.append(["geometric mean", "", *("" for _ in engines),
                 *(report.times(result["geometric_means"][size].get(n)) for n in ratios)])
    return report.aligned(rows)


def mean_table(result):
    rows = [["geometric means", *RATIOS]]
    for size, of_size in result["geometric_means"].items():
        rows.append([size, *(report.times(of_size.get(n)) for n in RATIOS)])
    return report.aligned(rows)


def percent(part, hot):
    return 100 * part / max(1, hot["samples"])


def hot_text(hot):
    """Where the samples are, in two lines."""
    parts = ", ".join(f"{percent(hot[part], hot):.0f} % {words}" for part, words in
                      (("compiled", "in compiled code"), ("called", "called by it"),
                       ("outside", "outside")))
    places = "; ".join(f"{percent(p['samples'], hot):.0f} % {p['place'].partition('+')[2] or '-'} "
                       f"{p['text'].partition(' //')[0]}" for p in hot["places"][:PLACES])
    return [parts, "    " + places]


def slow_list(result, engine, rival):
    slow = [(ratios[rival], k) for k in result["kernels"]
            if rival in (ratios := slow_ratios(k, engine))]
    slow.sort(key=lambda pair: pair[0])
    lines = ["", f"{engine} below {BOUNDS[rival]:g} x {rival}: {len(slow)} of "
             f"{sum(f'{engine}/{rival}' in k['ratios'] for k in result['kernels'])}"]
    for ratio, k in slow:
        head = f"  {ratio:.2f}x {k['kernel']} ({k['class']})"
        if rival != "pocl" and "pocl" in slow_ratios(k, engine):
            lines.append(head + ": see above")
        elif engine in k["hot"]:
            parts, places = hot_text(k["hot"][engine])
            lines += [f"{head}: {parts}", places]
        else:
            lines.append(head)
    return lines


def text(result):
    lines = report.heading_lines(result)
    for size in result["sizes"]:
        lines += [*table(result, size), ""]
    lines += mean_table(result)
    lines += ["", "avx2 to native: CPU milliseconds of a run, summed over threads; a/b: how many "
              "times faster a is than b;", "refused: PoCL does not run the kernel; error: its "
              "result is wrong, or gcnjit does not run it"]
    for k in result["kernels"]:
        lines += [f"{kind}: {k['kernel']} ({k['class']}) on {e}: {text}" for kind in NOT_TIMED
                  for e, text in k[kind].items()]
    for engine in result["engines"]:
        if engine.startswith("avx"):
            for rival in BOUNDS:
                if rival in result["engines"]:
                    lines += slow_list(result, engine, rival)
    return "\n".join(lines)


def markdown(table_text):
    return ("# The wide benchmark: a run\n\n"
            "Written by `scripts/bench --wide --sizes cache --markdown docs/benchmarks-wide.md`, not by hand. "
            "[bench/README.md](../bench/README.md) says what\nis compared and how. A slow kernel's "
            "second line has the guest instructions with the most samples: share, offset in the "
            "kernel, text.\n\n"
            f"```text\n{table_text}\n```\n")
