"""One figure of the bench: rates of ours and of the other side, round by round."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A rate in `unit` per second, with the rate of the other side in the same rounds where there is one."""

    name: str
    unit: str
    rates: tuple[float, ...]
    against: str = ""
    other_rates: tuple[float, ...] = ()
    note: str = ""

    @property
    def rate(self) -> float:
        """The median rate."""
        return median(self.rates)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Ours by theirs, round by round; none where there is no other side."""
        return tuple(a / b for a, b in zip(self.rates, self.other_rates, strict=bool(self.other_rates)))

    def as_dict(self) -> dict[str, Any]:
        """The figure as JSON."""
        found: dict[str, Any] = {"name": self.name, "unit": f"{self.unit}/s", "rate": round(self.rate, 1)}
        if self.ratios:
            found |= {"against": self.against, "other_rate": round(median(self.other_rates), 1)}
            found |= {"ratio": round(median(self.ratios), 3), "ratios": [round(r, 3) for r in self.ratios]}
        return found | ({"note": self.note} if self.note else {})

    def as_line(self) -> str:
        """The figure as one line of text."""
        line = f"{self.name:52} {self.rate:>10,.0f} {self.unit}/s"
        if self.ratios:
            low, high = min(self.ratios), max(self.ratios)
            line += f"   {median(self.ratios):.2f} of {self.against} ({low:.2f} to {high:.2f})"
        return line + (f"   {self.note}" if self.note else "")


def rate_of(count: int, act: Callable[[], object]) -> float:
    """How many of `count` things a second `act` does."""
    began = time.perf_counter()
    act()
    return count / (time.perf_counter() - began)
