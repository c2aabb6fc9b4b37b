#include "report/page_parts.h"

namespace gcnjit::report {

const std::string_view kStyle = R"css(
:root { color-scheme: light dark; --text: #1f2328; --dim: #656d76; --back: #fff; --panel: #f6f8fa;
  --line: #d8dee4; --accent: #0a69da; --soft: #cfe2f8; --warm: #bc4c00; }
@media (prefers-color-scheme: dark) { :root { --text: #e2e6ea; --dim: #8f98a3; --back: #14171c;
  --panel: #1c2027; --line: #313742; --accent: #6cb0ff; --soft: #24405f; --warm: #f0883e; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--back);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
main, nav { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
nav { padding-top: 14px; display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
h1 { margin: 18px 0 0; font-size: 26px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 44px 0 8px; font-size: 19px; padding-bottom: 5px; border-bottom: 1px solid var(--line); }
h3 { margin: 22px 0 6px; font-size: 15px; }
header p { margin: 4px 0 0; overflow-wrap: anywhere; }
.dim, .note, caption { color: var(--dim); } .note { max-width: 78ch; margin: 8px 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(165px, 1fr)); gap: 10px;
  margin: 22px 0 0; }
.tiles div { display: flex; flex-direction: column-reverse; padding: 10px 14px; background: var(--panel);
  border: 1px solid var(--line); border-radius: 6px; }
.tiles dt { color: var(--dim); font-size: 13px; } .tiles dd { margin: 0; font-size: 21px; }
.wide { overflow-x: auto; margin: 10px 0 18px; }
table { border-collapse: collapse; font-size: 13px; min-width: 40%; }
caption { text-align: left; padding: 0 0 4px; }
th, td { padding: 4px 14px 4px 0; text-align: left; vertical-align: top; }
th { border-bottom: 1px solid var(--line); font-weight: 600; white-space: nowrap; }
td { border-bottom: 1px solid color-mix(in srgb, var(--line) 55%, transparent); }
tbody tr:hover td { background: var(--panel); }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th button { all: unset; cursor: pointer; position: relative; } th button:hover, th button:focus-visible { color: var(--accent); }
th button::after { content: ""; position: absolute; left: 100%; padding-left: 1px; }
th[aria-sort=ascending] button::after { content: "\2191"; }
th[aria-sort=descending] button::after { content: "\2193"; }
code, pre { font: 12px/1.5 ui-monospace, "Cascadia Mono", "Liberation Mono", monospace; }
td code { white-space: pre-wrap; overflow-wrap: break-word; } td code.short { white-space: nowrap; }
.share { display: inline-block; width: 70px; height: 8px; margin-right: 8px; border-radius: 2px;
  background: var(--panel); vertical-align: baseline; }
.share + span { display: inline-block; min-width: 4.2em; }
.share i { display: block; height: 100%; border-radius: 2px; background: var(--accent); }
.chart { display: block; max-width: 100%; height: auto; margin: 10px 0; overflow: visible; }
.chart text { fill: var(--text); font: 12px system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
.chart .dim { fill: var(--dim); } .bar, .point { fill: var(--accent); }
.grid { stroke: var(--line); stroke-width: .6; } .axis { stroke: var(--dim); }
.roof { stroke: var(--text); stroke-width: 1.6; } .here { stroke: var(--accent); stroke-dasharray: 3 4; }
.hot { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 5fr) minmax(0, 6fr); gap: 0 22px;
  padding: 10px 0; border-bottom: 1px solid var(--line); }
.hot h4 { grid-column: 1 / -1; margin: 0 0 4px; font-size: 13px; font-weight: 600; }
.hot h4 b { color: var(--warm); display: inline-block; min-width: 4.6em; }
.hot p { margin: 0; font-size: 13px; overflow-wrap: anywhere; }
.hot pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.hot details pre { max-height: 30em; overflow: auto; } summary { cursor: pointer; font-size: 13px; }
footer { color: var(--dim); font-size: 13px; margin: 40px 0; }
@media (max-width: 760px) { .hot { grid-template-columns: minmax(0, 1fr); } main, nav { padding: 0 14px; } }
@media print { nav { display: none; } .wide { overflow: visible; } }
)css";

const std::string_view kScript = R"js(
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const numbers = head.classList.contains("n");
      const now = head.getAttribute("aria-sort");
      const down = now ? now === "ascending" : numbers;
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = row => {
        const cell = row.cells[column];
        return numbers ? Number(cell.dataset.v) : cell.textContent;
      };
      const compare = (a, b) => numbers ? key(a) - key(b) : key(a).localeCompare(key(b), "en", {numeric: true});
      const rows = [...body.rows].sort((a, b) => down ? compare(b, a) : compare(a, b));
      body.append(...rows);
    });
  });
}
)js";

const std::string_view kScriptHash = "sha256-MMxAUm0k41dVjc5VFuzDvl6hFIMmMKcHuih/Hfss4Xg=";

}  // namespace gcnjit::report
