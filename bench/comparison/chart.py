"""The bar chart of bench/compare."""
import matplotlib

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "gcnjit"  # the same figures give the same file

from matplotlib import pyplot  # noqa: E402  (after the choice above)

COLOURS = {"pocl": "#3b6ea8", "native": "#d08a2e"}
NAMES = {"pocl": "PoCL", "native": "native C++"}


def draw(result, path):
    """How many times faster gcnjit, with the widest vectors measured, is than its rivals."""
    mine = next((e for e in ("avx512", "avx2") if e in result["engines"]), None)
    rivals = [r for r in COLOURS if f"{mine}/{r}" in result["geometric_means"]]
    if not rivals:
        raise SystemExit("bench/compare: --plot needs avx2 or avx512, and pocl or native, among "
                         "--engines")
    rows = [(k["kernel"], k["ratios"]) for k in result["kernels"]]
    rows.append(("geometric mean", result["geometric_means"]))
    figure, axes = pyplot.subplots(figsize=(8, 0.45 * len(rows) + 1.6))
    height = 0.8 / len(rivals)
    for n, rival in enumerate(rivals):
        values = [ratios.get(f"{mine}/{rival}", float("nan")) for _, ratios in rows]
        at = [y + (n - (len(rivals) - 1) / 2) * height for y in range(len(rows))]
        bars = axes.barh(at, [v - 1 for v in values], height, left=1, color=COLOURS[rival],
                         label=f"than {NAMES[rival]}")
        axes.bar_label(bars, [f"{v:.2f}" for v in values], padding=3, fontsize=8)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"times faster: gcnjit ({mine}), CPU time, one thread")
    axes.legend(loc="best", fontsize=8)
    machine = result["machine"]
    axes.set_title(f"{machine['cpu']}, {result['date']}", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
