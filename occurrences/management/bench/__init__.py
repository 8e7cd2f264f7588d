"""How fast this installation judges, takes in and plans, as ratios of two sides measured in turn.

Absolute figures swing with whatever else the machine does; the ratio of both sides, round by round, stays.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from occurrences.management.bench import ingest, judgements, plans, sweeps
from occurrences.management.bench.figures import Figure

Measure = Callable[[int], Iterator[Figure]]
MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "judging": judgements.measure,
        "ingest": ingest.measure,
        "sweep": sweeps.measure,
        "planning": plans.measure,
    }
)

__all__ = ["MEASURES", "Figure", "Measure"]
