"""Run every benchmark and print one table: what was measured, what it must be, what it is.

Names choose some of them. A benchmark is a module here with ``measure()``, which answers with figures by
name, and ``LIMITS``, which says what some of them must be. One that cannot run says why; the run then fails
at its end, as it does where a limit is not met.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).parent
# Limits of modules that do not name their own.
LIMITS = {
    "simulation": {"times_simpy": ("≥", 100)},
}
Row = tuple[str, str, str, str]


def known() -> list[str]:
    return sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.3g}"


def rows(name: str, figures: dict[str, float], limits: dict[str, tuple[str, float]]) -> list[Row]:
    """One line a figure; one that is promised and was not measured has failed."""
    lines = []
    for what in [*figures, *(what for what in limits if what not in figures)]:
        sign, limit = limits.get(what, ("", 0.0))
        got = figures.get(what)
        met = got is not None and (got <= limit if sign == "≤" else got >= limit)
        verdict = ("pass" if met else "FAIL") if sign else ""
        lines.append(
            (
                f"{name}: {what}",
                f"{sign} {number(limit)}" if sign else "",
                "not measured" if got is None else number(got),
                verdict,
            )
        )
    return lines


def main(chosen: list[str]) -> int:
    unknown = [name for name in chosen if name not in known()]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; known are {', '.join(known())}")
        return 2
    table: list[Row] = []
    for name in chosen or known():
        print(f"{name} …", file=sys.stderr, flush=True)
        limits = LIMITS.get(name, {})
        try:
            module = importlib.import_module(f"benchmarks.{name}")
            limits = getattr(module, "LIMITS", limits)
            table += rows(name, module.measure(), limits)
        except (Exception, SystemExit) as problem:
            table.append(
                (f"{name}: cannot run: {str(problem).strip() or type(problem).__name__}", "", "", "FAIL")
            )
    table.insert(0, ("measure", "must", "got", ""))
    widths = [max(len(row[at]) for row in table if row[1] or row[2]) for at in range(3)]
    for what, must, got, verdict in table:
        print(f"{what:{widths[0]}}  {must:>{widths[1]}}  {got:>{widths[2]}}  {verdict}".rstrip())
    return any(row[3] == "FAIL" for row in table)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
