"""Beat with the tap: `celery -A app beat -S occurrences.tap.scheduler:TapScheduler`.

The mixin fits every scheduler that keeps Celery's `apply_entry` and `apply_async`. Whatever goes wrong
in it, the entry is sent as beat would have sent it.
"""

import socket
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from celery import signals
from celery.beat import PersistentScheduler, Scheduler
from celery.utils import uuid

from . import process
from .clock import due_text, utc_now
from .due import Due, due_of
from .identity import Tagged, identity_headers, read_tags
from .process import Tap
from .quiet import quietly
from .snapshots import Definitions, snapshot
from .wire import dues_text

_sending = threading.local()


class TapMixin:
    """Records tick, enqueue and failed enqueue, and tells the schedules; changes nothing that beat does."""

    catch_up = "latest"  # after a pause beat sends each entry once; the in-memory scheduler sends none

    app: Any
    schedule: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tap: Tap | None = None
        self._definitions: Definitions | None = None
        if not kwargs.get("lazy"):
            self._start_tap()

    @quietly
    def _start_tap(self) -> None:
        self._tap = process.start("scheduler", f"beat@{socket.gethostname()}")
        if self._tap is not None:
            self._definitions = Definitions(self._tap.configuration.folder)
            signals.after_task_publish.connect(_on_published, weak=False, dispatch_uid="aglet-tap-enqueue")

    def populate_heap(self, *args: Any, **kwargs: Any) -> None:
        """Celery calls this at the first tick and whenever the schedule changed: the moments to tell it."""
        super().populate_heap(*args, **kwargs)  # type: ignore[misc]
        self._tell_schedules()

    @quietly
    def _tell_schedules(self) -> None:
        if self._tap is None or self._definitions is None:
            return
        now, settings = utc_now(), self._tap.configuration
        present = {}
        for name, entry in self.schedule.items():
            present[str(name)] = snapshot(
                settings.source,
                entry,
                self.app,
                catch_up=self.catch_up,
                send_arguments=settings.send_arguments,
                at=now,
            )
        for record in self._definitions.changes(present, now):
            self._tap.record(record, now)

    def apply_entry(self, entry: Any, producer: Any = None) -> None:
        """Record the tick, then let beat send a copy of the entry that carries its identity."""
        super().apply_entry(self._tagged(entry) or entry, producer=producer)  # type: ignore[misc]

    @quietly
    def _tagged(self, entry: Any) -> Any:
        if self._tap is None:
            return None
        due = self._due_of(entry)
        key = str(entry.name)
        tags = Tagged(schedule_key=key, due_at=due_text(due.due_at), job_ref=None)
        collapsed = dues_text(due.collapsed) or None
        self._tap.record_handoff("tick", tags, due_basis=due.basis, collapsed=collapsed)
        # Not copy.copy: an entry reduces itself without its application, and would unset it on the schedule.
        tagged = object.__new__(type(entry))
        tagged.__dict__.update(vars(entry))
        options = dict(entry.options or {})
        # New dictionaries: Celery writes into the headers it is given, and the next tick shares the old ones.
        headers = identity_headers(self._tap.configuration.source, key, due.due_at)
        options["headers"] = {**(options.get("headers") or {}), **headers}
        options.setdefault("task_id", uuid())  # so that a failed enqueue names the run that was tried
        tagged.options = options
        tagged.aglet_basis = due.basis
        return tagged

    def _due_of(self, entry: Any) -> Due:
        # Beat has just reserved the entry: the run it noted is the moment it found the entry due, and the
        # one it will count the next due from. Any later moment could name an occurrence twice.
        reserved = self.schedule.get(entry.name)
        ticked_at = _aware(getattr(reserved, "last_run_at", None)) or utc_now()
        before = _aware(entry.last_run_at) or ticked_at
        return due_of(entry.schedule, before, max(ticked_at, before))

    def apply_async(self, entry: Any, *args: Any, **kwargs: Any) -> Any:
        """Send as beat does; an error is recorded as a failed enqueue and goes on to beat unchanged."""
        _sending.entry, _sending.tap, _sending.queue = entry, self._tap, self._queue_of(entry)
        try:
            return super().apply_async(entry, *args, **kwargs)  # type: ignore[misc]
        except Exception as error:
            self._enqueue_failed(entry, error)
            raise
        finally:
            _sending.entry = None

    def _queue_of(self, entry: Any) -> str | None:
        return self._definitions.queue(str(entry.name)) if self._definitions else None

    @quietly
    def _enqueue_failed(self, entry: Any, error: Exception) -> None:
        headers = (entry.options or {}).get("headers") or {}
        if self._tap is None:
            return
        tags = read_tags({**headers, "id": entry.options.get("task_id")}, self._tap.configuration.source)
        if tags is not None:
            self._tap.record_handoff(
                "enqueue",
                tags,
                outcome="failed",
                due_basis=entry.aglet_basis,
                detail={"error": _root(error)},
                queue=self._queue_of(entry),
            )

    def close(self) -> None:
        """Beat's orderly end, by TERM or Ctrl-C."""
        try:
            super().close()  # type: ignore[misc]
        finally:
            if self._tap is not None:
                self._tap.stop()


@quietly
def _on_published(headers: Mapping[str, Any] | None = None, routing_key: Any = None, **_: Any) -> None:
    """The message is in the broker's hands; sent in the thread of `apply_async`, with its final headers."""
    entry, tap = getattr(_sending, "entry", None), getattr(_sending, "tap", None)
    if entry is None or tap is None or not headers:
        return
    tags = read_tags(headers, tap.configuration.source)
    if tags is None:
        return
    eta = _instant(headers.get("eta"))
    tap.record_handoff(
        "enqueue",
        tags,
        due_basis=entry.aglet_basis,
        expires_at=_instant(headers.get("expires")),
        detail={"eta": eta} if eta else None,
        queue=_sending.queue or routing_key,
    )


def _aware(moment: datetime | None) -> datetime | None:
    """Celery keeps naive times only as UTC."""
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


def _instant(text: Any) -> str | None:
    """Celery writes these in the application's zone: turn them into UTC, offset and all."""
    if not text:
        return None
    moment = _aware(datetime.fromisoformat(str(text)))
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment else None


def _root(error: BaseException) -> str:
    """The class of the error under Celery's and kombu's own wrappers."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return type(error).__name__


class TapScheduler(TapMixin, Scheduler):  # type: ignore[misc]  # Celery ships no types
    """Celery's in-memory scheduler with the tap: nothing is caught up after a pause."""

    catch_up = "none"


class TapPersistentScheduler(TapMixin, PersistentScheduler):  # type: ignore[misc]
    """Celery's default scheduler with the tap."""
