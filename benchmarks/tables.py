"""The tables of bench.py, in Markdown."""
from __future__ import annotations

import importlib
import math

import peers

PEERS = ("autograd", "jax_jit", "torch", "mygrad", "advect")
ABSENT = ("no hand", "no numba", "not importable", "unavailable: no variant")
LEGEND = ("`*` = the plain kernel was refused and a rewritten variant ran; `fails` = no variant ran; "
          "`-` = not provided.")


def fmt(x):
    return f"{x:.2f}" if x < 10 else f"{x:.0f}" if x < 1000 else f"{x / 1000:.1f}k"


def one_line(record, tools):
    """What a kernel's run gave, as one line for the terminal."""
    bits = []
    for tool in tools:
        report, note = record["tools"][tool], record["check"].get(tool, "ok")
        if "ratio" in report:
            bits.append(f"{tool}={fmt(report['ratio'])}" + ("" if note == "ok" else f" [{note}]"))
        else:
            bits.append(f"{tool}: {report.get('error', '?')[:90]}")
    return f"{record['kernel']}: " + " | ".join(bits)


def good(record, tool):
    return "ratio" in record["tools"].get(tool, {}) and record["check"].get(tool, "ok") == "ok"


def cell(record, tool):
    """One tool's ratio on one kernel, or why there is none."""
    report = record["tools"].get(tool, {})
    if "ratio" not in report:
        error = report.get("error", "")
        if any(phrase in error for phrase in ABSENT):
            return "-"
        return "timeout" if "timeout" in error else "fails"
    star = "*" if report["info"]["status"] == "rewrite" else ""
    wrong = "" if record["check"].get(tool, "ok") == "ok" else " WRONG"
    return fmt(report["ratio"]) + star + wrong


def means(label, records, columns):
    """A row of geometric means over the kernels where the tool is right."""
    row = []
    for tool in columns:
        ratios = [r["tools"][tool]["ratio"] for r in records if good(r, tool)]
        count = f" (n={len(ratios)})" if len(ratios) < len(records) else ""
        row.append(fmt(math.exp(sum(map(math.log, ratios)) / len(ratios))) + count if ratios else "-")
    return f"| **{label}, n={len(records)}** | | " + " | ".join(row) + " |"


def accepted(records, columns):
    row = [str(sum(good(r, t) and r["tools"][t]["info"]["status"] == "as-is" for r in records)) for t in columns]
    return f"| **plain code accepted and right, of {len(records)}** | | " + " | ".join(row) + " |"


def speed(records, tools):
    columns = [t for t in tools if t != "primal"]
    lines = ["| kernel | NumPy primal ms | " + " | ".join(columns) + " |", "|---|---:|" + "---:|" * len(columns)]
    for record in records:
        primal = 1e3 * record["tools"].get("primal", {}).get("median", float("nan"))
        lines.append(f"| {record['kernel']} | {primal:.2f} | " + " | ".join(cell(record, t) for t in columns) + " |")
    lines.append(means("geometric mean", records, columns))
    for tool in ("hand", "numba_hand"):
        subset = [r for r in records if good(r, tool)]
        if tool in columns and subset:
            lines.append(means(f"geometric mean where {tool} exists", subset, columns))
    return "\n".join([*lines, accepted(records, columns)])


def figures(records, tools, key, title, digits=2):
    """A table of one further figure that the workers reported."""
    lines = [f"| {title} | " + " | ".join(tools) + " |", "|---|" + "---:|" * len(tools)]
    for record in records:
        values = [record["tools"].get(t, {}).get(key) for t in tools]
        lines.append(f"| {record['kernel']} | " + " | ".join("-" if v is None else f"{v:.{digits}f}" for v in values)
                     + " |")
    return "\n".join(lines)


def rewritten_lines(report):
    if not report:
        return ""
    if "info" not in report:
        return "fails"
    return "0" if report["info"]["status"] == "as-is" else str(report["info"]["lines"][0])


def rewrites(records):
    """How many lines the user of each peer had to write."""
    lines = ["| kernel | primal lines | " + " | ".join(PEERS) + " |", "|---|---:|" + "---:|" * len(PEERS)]
    for record in records:
        module = importlib.import_module("kernels." + record["kernel"])
        row = [rewritten_lines(record["tools"].get(t, {})) for t in PEERS]
        lines.append(f"| {record['kernel']} | {len(peers.primal_source(module))} | " + " | ".join(row) + " |")
    return "\n".join(lines)


def report(records, tools):
    parts = [
        speed(records, tools), LEGEND,
        "First call incl. tracing/compilation, seconds", figures(records, tools, "first", "first call s"),
        "Peak memory above the resident set before the call, MB", figures(records, tools, "peak_mb", "peak MB", 0),
        "Lines to write for each peer (0 = plain kernel accepted)", rewrites(records),
    ]
    return "\n\n".join(parts)
