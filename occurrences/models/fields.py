"""What many tables share: the range of times, lists of choices, and how both become constraints."""

from collections.abc import Iterable
from datetime import UTC, datetime

from django.db import models
from django.db.models import F, Q

from occurrences.contract.handoffs import Handoff, Role
from occurrences.contract.verdicts import Verdict

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)  # where the grid of an anchored interval usually begins
LATEST = datetime(2100, 1, 1, tzinfo=UTC)

# Pairs, not the enums: Django takes an enum class for a callable. Plain strings keep it out of migrations.
HANDOFFS = [(int(h), h.word) for h in Handoff]
VERDICTS = [(v.value, v.words) for v in Verdict]
ROLES = [(r.value, r.value) for r in Role]


def times_within(table: str, *fields: str, earliest: datetime = EARLIEST) -> list[models.CheckConstraint]:
    """Refuse what psycopg cannot read back (infinity) or nobody meant (year 30000), per field."""
    return [
        models.CheckConstraint(
            condition=Q(**{f"{f}__isnull": True}) | Q(**{f"{f}__gte": earliest, f"{f}__lt": LATEST}),
            name=f"{table}_{f}_in_range",
        )
        for f in fields
    ]


def one_of(table: str, field: str, values: Iterable[object]) -> models.CheckConstraint:
    """Hold a column to a closed set, null allowed where the column allows it."""
    return models.CheckConstraint(
        condition=Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__in": list(values)}),
        name=f"{table}_{field}_known",
    )


def both_or_neither(table: str, first: str, second: str) -> models.CheckConstraint:
    """Hold a pair of columns together."""
    return models.CheckConstraint(
        condition=Q(**{f"{first}__isnull": True, f"{second}__isnull": True})
        | Q(**{f"{first}__isnull": False, f"{second}__isnull": False}),
        name=f"{table}_{first}_with_{second}",
    )


def in_order(table: str, first: str, second: str) -> models.CheckConstraint:
    """Hold the second time at or after the first, once it is there."""
    return models.CheckConstraint(
        condition=Q(**{f"{second}__isnull": True}) | Q(**{f"{second}__gte": F(first)}),
        name=f"{table}_{second}_after_{first}",
    )
