"""Tables of the wide benchmark: by size, and the kernels that are slow with what they wait for."""
import report

RATIOS = ("avx512/pocl", "avx512/native", "avx2/pocl", "avx2/native")
# Kernels below these are slow.
BOUNDS = {"pocl": 1.0, "native": 0.5}
PLACES = 3  # that are shown of a slow kernel


def make(lines, options, root):
    kernels = report.summaries(lines, options.engines)
    heads = [line for line in lines if "unit" in line]
    for kernel, head in zip(kernels, heads):
        kernel["class"] = head["class"]
        kernel["errors"] = {line["engine"]: line["error"] for line in lines if "error" in line
                            and (line["kernel"], line["class"]) == (head["kernel"], head["class"])}
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
        times = ["error" if e in k["errors"] else report.number(k["cpu_ms"].get(e)) for e in engines]
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


def hot_lines(hot):
    lines = [f"    {percent(p['samples'], hot):5.1f} %  {p['place'] or '-'}  {p['text']}"
             for p in hot["places"][:PLACES]]
    return lines + [f"    {percent(hot['compiled'], hot):5.1f} %  compiled code; "
                    f"{percent(hot['called'], hot):.1f} % called by it, "
                    f"{percent(hot['outside'], hot):.1f} % outside"]


def slow_list(result, engine, rival):
    slow = [(ratios[rival], k) for k in result["kernels"]
            if rival in (ratios := slow_ratios(k, engine))]
    slow.sort(key=lambda pair: pair[0])
    bound = BOUNDS[rival]
    lines = ["", f"{engine} below {bound:g} x {rival}: {len(slow)} of "
             f"{sum(f'{engine}/{rival}' in k['ratios'] for k in result['kernels'])}"]
    for ratio, k in slow:
        # What is below both bounds has its places in the first list.
        again = rival != "pocl" and "pocl" in slow_ratios(k, engine)
        lines.append(f"  {k['kernel']} ({k['class']}): {ratio:.2f}x" + (", see above" if again else ""))
        if engine in k["hot"] and not again:
            lines += hot_lines(k["hot"][engine])
    return lines


def text(result):
    lines = report.heading_lines(result)
    for size in result["sizes"]:
        lines += [*table(result, size), ""]
    lines += mean_table(result)
    lines += ["", "avx2 to native: CPU milliseconds of a run, summed over threads; a/b: how many times "
              "faster a is than b;", "error: the engine refuses the kernel or its result is wrong, "
              "see below"]
    for k in result["kernels"]:
        lines += [f"error: {k['kernel']} ({k['class']}) on {e}: {text}" for e, text in
                  k["errors"].items()]
    for engine in result["engines"]:
        if engine.startswith("avx"):
            for rival in BOUNDS:
                if rival in result["engines"]:
                    lines += slow_list(result, engine, rival)
    return "\n".join(lines)


def markdown(table_text):
    return ("# The wide benchmark: a run\n\n"
            "`scripts/bench --wide --markdown docs/benchmarks-wide.md` writes this file. What is "
            "compared, and how: [bench/README.md](../bench/README.md).\n\n"
            f"```\n{table_text}\n```\n")
