"""What a comparison of a gradient with differences found, as a table."""
from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Entry", "Report"]


@dataclass(frozen=True)
class Entry:
    """One entry of the gradient: `place` is as in Python, `w[2, 0]`."""
    argument: str
    place: str
    gradient: complex
    expected: complex
    allowed: float

    @property
    def error(self) -> float:
        return abs(self.gradient - self.expected)

    @property
    def excess(self) -> float:
        """The error in units of what is allowed."""
        return self.error / self.allowed if self.error == self.error else float("inf")


@dataclass(frozen=True)
class Report:
    """All entries that were compared.

    >>> report = Report("f", (Entry("x", "x[0]", 1.0, 2.0, 1e-6), Entry("x", "x[1]", 3.0, 3.0, 1e-6)))
    >>> print(report.table())
    f: 1 of 2 entries of the gradient differ from differences by more than allowed
      argument  entry  gradient  differences  error  allowed
      x         x[0]          1            2      1    1e-06  *
      x         x[1]          3            3      0    1e-06
    """
    title: str
    entries: tuple[Entry, ...]
    sampled: bool = False

    @property
    def agrees(self) -> bool:
        return all(entry.excess <= 1 for entry in self.entries)

    def table(self, rows: int = 10) -> str:
        """The entries with the largest errors, largest first; a star marks those that are too large."""
        largest = sorted(self.entries, key=lambda e: -e.excess)[:rows]
        cells = [("argument", "entry", "gradient", "differences", "error", "allowed", "")]
        cells += [(e.argument, e.place, _number(e.gradient), _number(e.expected), f"{e.error:.2g}", f"{e.allowed:.2g}",
                   "*" if e.excess > 1 else "") for e in largest]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join(_aligned(k, cell, width) for k, (cell, width) in enumerate(zip(row, widths))).rstrip()
                 for row in cells]
        return "\n".join([self._verdict(), *(f"  {line}" for line in lines)])

    def _verdict(self) -> str:
        wrong = sum(entry.excess > 1 for entry in self.entries)
        sampled = " (a random choice)" if self.sampled else ""
        entries = f"{len(self.entries)} entr{'y' if len(self.entries) == 1 else 'ies'}{sampled} of the gradient"
        if wrong:
            return f"{self.title}: {wrong} of {entries} differ from differences by more than allowed"
        agree = "agrees" if len(self.entries) == 1 else "agree"
        return f"{self.title}: {entries} {agree} with differences"


def _number(x: complex) -> str:
    return f"{x:.8g}" if isinstance(x, complex) and x.imag else f"{x.real:.8g}"


def _aligned(column: int, cell: str, width: int) -> str:
    return cell.ljust(width) if column in (0, 1, 6) else cell.rjust(width)
