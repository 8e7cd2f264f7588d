"""Note whose clock runs ahead. A record is stored and aged by its receipt, however far ahead it is stamped."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from occurrences.contract.skew import ahead, shows_right_clock
from occurrences.models import Source
from occurrences.queries.arrays import array_cursor
from occurrences.services.handoffs.items import Filing

NOTE = """
INSERT INTO occurrences_clockskew (source_id, host, ahead, since, last_at)
SELECT %b, host, ahead, %b, %b FROM unnest(%b::text[], %b::interval[]) AS t(host, ahead) ORDER BY host
ON CONFLICT (source_id, host) WHERE ended_at IS NULL DO UPDATE
   SET ahead = greatest(occurrences_clockskew.ahead, excluded.ahead),
       last_at = greatest(occurrences_clockskew.last_at, excluded.last_at)
"""
END = """
UPDATE occurrences_clockskew SET ended_at = greatest(since, %b)
 WHERE source_id = %b AND host = ANY(%b) AND ended_at IS NULL
"""


def note_skew(*, source: Source, filings: Sequence[Filing], now: datetime) -> None:
    """Keep the most that each host of the batch is ahead; a fresh record without skew ends it."""
    spans: dict[str, timedelta] = {}
    right: set[str] = set()
    for filing in filings:
        said = filing.said
        host = said.clock_host or said.owner_host or ""
        span = ahead(said.observed_at, filing.received_at)
        if span is not None:
            spans[host] = max(span, spans.get(host, span))
        elif shows_right_clock(said.observed_at, filing.received_at):
            right.add(host)
    with array_cursor() as cursor:
        if spans:
            cursor.execute(NOTE, [source.pk, now, now, list(spans), list(spans.values())])
        if right := right - spans.keys():
            cursor.execute(END, [now, source.pk, sorted(right)])
