"""Times as they travel: RFC 3339 text in UTC."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The present by this host's clock, aware, in UTC."""
    return datetime.now(UTC)


def instant_text(moment: datetime) -> str:
    """An aware moment with microseconds, for what was observed."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def due_text(due_at: datetime) -> str:
    """A due instant, trimmed to whole seconds: the grain of an occurrence's identity."""
    return due_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
