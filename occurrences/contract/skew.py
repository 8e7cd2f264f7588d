"""How far a producer's clock runs ahead of the database's, and when that is worth a word (handoff contract, 4)."""

from datetime import datetime, timedelta

SHOWN = timedelta(seconds=5)
ALARMING = timedelta(minutes=10)
# A record observed so shortly before it was received was not kept in a spool: it tells how the clock stands now.
FRESH = timedelta(minutes=1)


def ahead(observed_at: datetime, received_at: datetime) -> timedelta | None:
    """Return how far a record is stamped ahead of its receipt; None where that is too little to be shown.

    Exactly at the limit counts. However far ahead it is, the record is aged by its receipt.
    """
    span = observed_at - received_at
    return span if span >= SHOWN else None


def alarming(span: timedelta) -> bool:
    """Return whether so much asks for a person: exactly at the limit does."""
    return span >= ALARMING


def shows_right_clock(observed_at: datetime, received_at: datetime) -> bool:
    """Return whether the record proves that its producer's clock is not ahead at present."""
    return ahead(observed_at, received_at) is None and received_at - observed_at <= FRESH
