"""Scheduler and workers around one occurrence, and as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from occurrences.contract.judging import Judgement
from occurrences.models import Process
from occurrences.queries.pages.tones import ABSENT, BLIND, LATE, NOT_YET, OFF, PRESENT

AROUND = timedelta(minutes=5)
SILENT = timedelta(seconds=60)
AT_MOST = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """One life of a process: what it did in the window and what it does now, each in words with a tone."""

    process: Process
    window_words: str
    window_at: datetime | None
    window_tone: str
    now_words: str
    now_at: datetime
    now_tone: str


def lives_around(
    source: int, said: Judgement, due: datetime, now: datetime
) -> tuple[tuple[datetime, datetime], Sequence[Life]]:
    """The window (five minutes around what is known of the path) and the lives that touch it or are online.

    Pool children are left out: their parent stands for them.
    """
    moments = [due, *(s.at for s in said.stations if s.at is not None)]
    last = max([*moments, *([said.expected_by] if said.expected_by else [])])
    start, end = due - AROUND, max(min(last + AROUND, now), due)
    touching = Q(started_at__lte=end) & (Q(ended_at__isnull=True) | Q(ended_at__gte=start))
    rows = Process.objects.filter(touching | Q(ended_at__isnull=True), source_id=source)
    rows = rows.filter(Q(role="scheduler") | Q(capacity__gt=0)).order_by("role", "-started_at")[:AT_MOST]
    return (start, end), [_life(row, start, end, now) for row in rows]


def _life(row: Process, start: datetime, end: datetime, now: datetime) -> Life:
    heard = max(row.last_seen, row.up_to or row.last_seen)
    words, at, tone = _in_window(row, heard, start, end)
    now_words, now_tone = _as_of(row, heard, now)
    return Life(
        process=row,
        window_words=words,
        window_at=at,
        window_tone=tone,
        now_words=now_words,
        now_at=row.ended_at or heard,
        now_tone=now_tone,
    )


def state_now(row: Process, now: datetime) -> tuple[str, str, datetime]:
    """How the process stands as of `now`, in words with a tone, and when it ended or was heard last."""
    heard = max(row.last_seen, row.up_to or row.last_seen)
    return (*_as_of(row, heard, now), row.ended_at or heard)


def _as_of(row: Process, heard: datetime, now: datetime) -> tuple[str, str]:
    if row.ended_at is not None:
        return f"Ended ({row.state})", OFF
    # A tap speaks about once a second; whoever is silent may be gone or may only be cut off.
    return ("Silent", BLIND) if now - heard > SILENT else ("Online", PRESENT)


def _in_window(row: Process, heard: datetime, start: datetime, end: datetime) -> tuple[str, datetime | None, str]:
    if row.started_at > end:
        return "Not there yet", None, NOT_YET
    if row.ended_at is not None and row.ended_at <= end:
        return f"Ended ({row.state})", row.ended_at, ABSENT if row.state == "lost" else LATE
    if row.ended_at is None and end - heard > SILENT:
        return "Silent since", heard, BLIND
    if row.started_at > start:
        return "Started", row.started_at, LATE
    return "Up", None, PRESENT
