"""What `up` asks of the application itself, in its own process, once the servers answer."""

import secrets
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aglet_recovery.launcher.errors import LaunchError

BY = "up"
OLD_KEY_LASTS = timedelta(minutes=10)
FIRST_PERSON = "admin"
LATEST_TICK = timedelta(seconds=10)  # what beat did not act on by then was missed before the stop


def make_secret_key(data_dir: Path) -> None:
    """Make the key that signs sessions, once, for this user's eyes only."""
    path = data_dir / "secret_key"
    if path.exists():
        return
    half = path.with_suffix(".half")
    half.touch(mode=0o600)
    half.write_text(secrets.token_urlsafe(50))
    half.rename(path)


def bring_up_to_date(*, lab: bool) -> None:
    """Load Django, migrate, and make the rows the product needs. Raises LaunchError."""
    import django
    from django.core.management import call_command
    from django.db.utils import OperationalError

    django.setup()
    from occurrences.services import installation

    try:
        call_command("migrate", interactive=False, verbosity=0)
        installation.prepare(by=BY, now=datetime.now(UTC), lab=lab)
    except OperationalError as error:
        raise LaunchError(f"The database does not answer: {str(error).strip().splitlines()[0]}") from error


def fresh_key(source: str) -> str:
    """Return a new key for the source; the one before stays valid long enough to empty what it signed."""
    from occurrences.services import sources

    return sources.fresh_key(source=source, keep_old_for=OLD_KEY_LASTS, by=BY, now=datetime.now(UTC))


def first_sign_in() -> str | None:
    """Make the first admin and return the path that lets them in once; None when there is an admin already."""
    from django.urls import reverse

    from occurrences.services import people

    if people.has_an_admin():
        return None
    token = people.add_person(name=FIRST_PERSON, role="admin", by=BY, now=datetime.now(UTC))
    return reverse("sign-in-link", args=[token])


def first_sign_in_of_lab_owner() -> str | None:
    """Return the path that lets the lab's owner in once; None when they have had one."""
    from django.urls import reverse

    from occurrences.services import installation, people

    token = people.first_link_of(name=installation.LAB_OWNER, now=datetime.now(UTC))
    return None if token is None else reverse("sign-in-link", args=[token])


def is_online(source: str, role: str, *, since: datetime) -> bool:
    """Whether a process of the role that started after `since` has announced itself."""
    from occurrences.queries import workers

    return workers.is_online(source, role, since)


def pause(source: str) -> datetime:
    """Write down that the source stands still on purpose from now on; return that moment."""
    from occurrences.services.schedules import pause_source

    now = datetime.now(UTC)
    pause_source(source=source, reason="`up` was stopped in order", by=BY, now=now)
    return now


def has_ticked(source: str, *, before: datetime) -> bool:
    """Whether beat has acted on everything due shortly before; due times from the pause on do not count."""
    from occurrences.queries.schedules import waits_for_a_tick

    return not waits_for_a_tick(source, since=before - LATEST_TICK, before=before)


def let_go() -> None:
    """Close this process's connections: it needs none until it stops."""
    from django.db import connections

    connections.close_all()


def queue_is_empty(queue: str, *, prefix: str) -> bool:
    """Whether no message waits in the queue; True as well when the broker cannot be asked."""
    from django.conf import settings
    from kombu import Connection

    options = {"global_keyprefix": prefix}
    try:
        with (
            Connection(settings.CELERY_BROKER_URL, transport_options=options) as connection,
            connection.channel() as channel,
        ):
            return bool(channel.queue_declare(queue).message_count == 0)
    except Exception:
        return True
