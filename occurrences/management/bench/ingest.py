"""A batch of 1,000 records through the real judge, against COPY of the same rows into the same table."""

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction

from occurrences.contract.occurrences import key_floor
from occurrences.management.bench.figures import Figure, rate_of
from occurrences.management.bench.world import PERIOD, START, STEPS, World, full_paths, parsed, schedule_keys, snapshot
from occurrences.services.schedules import plan

BATCH = 1000
KEYS = schedule_keys(BATCH // len(STEPS))
COLUMNS = (
    "occurrence_id", "handoff", "record_key", "source_id", "record_id", "body_digest", "run_ref", "outcome",
    "delivery", "recovery_number", "recovery_id", "observed_at", "received_at", "body",
)  # fmt: skip
FIRST = START + 12 * PERIOD


def measure(rounds: int) -> Iterator[Figure]:
    """Yield what a batch costs beside COPY, with and without parsing it, and sent once more."""
    world, warm = World(), 1
    world.take([snapshot(key) for key in KEYS], now=START)
    plan(now=START, ahead=2 * (rounds + warm + 7) * PERIOD)
    found = [_round(world, FIRST + 2 * n * PERIOD) for n in range(rounds + warm)][warm:]
    ours, copied, again, parsing = (tuple(column) for column in zip(*found, strict=True))
    name = f"ingest of {BATCH:,} records of {len(KEYS)} occurrences"
    yield Figure(name=name, unit="records", rates=ours, against="COPY into the same table", other_rates=copied)
    whole = tuple(1 / (1 / a + 1 / b) for a, b in zip(ours, parsing, strict=True))
    yield Figure(name="the same with parsing", unit="records", rates=whole, against="COPY", other_rates=copied)
    yield Figure(name="the same batch again", unit="records", rates=again, against="the first time", other_rates=ours)


def _round(world: World, due: datetime) -> tuple[float, float, float, float]:
    """Rates of the batch, of COPY, of the batch sent again, and of its parsing."""
    bodies, now = list(full_paths(KEYS, due)), due + timedelta(seconds=4)
    parsing = rate_of(BATCH, lambda: parsed(bodies))
    items = parsed(bodies)
    ours = rate_of(BATCH, lambda: world.record(items, now=now))
    rows = [(_a_period_later(row[0]), *row[1:]) for row in _rows(due)]
    copied = rate_of(BATCH, lambda: _copy(rows))
    return ours, copied, rate_of(BATCH, lambda: world.record(items, now=now)), parsing


def _rows(due: datetime) -> list[tuple[Any, ...]]:
    names = ", ".join(COLUMNS).replace("body", "body::text").replace("body::text_digest", "body_digest")
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {names} FROM occurrences_handoffrecord WHERE occurrence_id BETWEEN %s AND %s",  # noqa: S608  literals
            [key_floor(due), key_floor(due + PERIOD / 2)],
        )
        return list(cursor.fetchall())


def _a_period_later(key: uuid.UUID) -> uuid.UUID:
    # The first 48 bits of a key are the due time in milliseconds; that occurrence is planned and has no record yet.
    return uuid.UUID(int=key.int + (int(PERIOD / timedelta(milliseconds=1)) << 80))


def _copy(rows: list[tuple[Any, ...]]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        into = f"COPY occurrences_handoffrecord ({', '.join(COLUMNS)}) FROM STDIN"
        with cursor.cursor.copy(into) as copy:  # psycopg's own
            for row in rows:
                copy.write_row(row)
