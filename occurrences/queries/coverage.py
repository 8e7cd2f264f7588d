"""How far the evidence of each source is complete, as contract values."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta

from occurrences.contract import coverage as contract
from occurrences.contract.handoffs import Role
from occurrences.models import Coverage, CoverageStretch, Source

# Where the view of a role ended before the first due time asked about: a blind spot begins there.
LOOK_BACK = timedelta(days=7)


def coverages(sources: Collection[int], since: datetime) -> dict[int, contract.Coverage]:
    """The coverage of each source, with the stretches that reach past `since`."""
    stretches: dict[int, list[contract.Stretch]] = defaultdict(list)
    for row in CoverageStretch.objects.filter(source_id__in=sources, end__gte=since - LOOK_BACK).order_by("start"):
        stretches[row.source_id].append(
            contract.Stretch(start=row.start, end=row.end, role=Role(row.role), known_at=row.known_at)
        )
    to_now: dict[int, set[Role]] = defaultdict(set)
    for source_id, role in Coverage.objects.filter(source_id__in=sources, to_now=True).values_list("source_id", "role"):
        to_now[source_id].add(Role(role))
    provable = dict(Source.objects.filter(pk__in=sources).values_list("pk", "coverage_provable"))
    return {
        s: contract.Coverage(provable=provable[s], stretches=tuple(stretches[s]), to_now=frozenset(to_now[s]))
        for s in sources
    }
