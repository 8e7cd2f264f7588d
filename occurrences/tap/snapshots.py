"""What should run and when, as beat means it: one snapshot for each entry, and again when it changes."""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from numbers import Real
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from celery.schedules import crontab, schedule

from .clock import instant_text
from .grid import Grid
from .wire import Record

ROUTING = ("queue", "exchange", "routing_key", "priority", "countdown", "expires", "ignore_result")
EPOCH = "1970-01-01T00:00:00Z"
KNOWN = "schedules.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A schedule's rule as the format writes it."""

    rule: str
    dialect: str
    tz: str = "UTC"
    anchor: str | None = None


def rule_of(plan: Any) -> Rule:
    """The rule of one Celery schedule; what we cannot read is named by its class, as dialect `unknown`."""
    if isinstance(plan, Grid):
        return Rule(rule=f"every {_seconds(plan.period)}s", dialect="interval", anchor=EPOCH)
    if isinstance(plan, crontab):
        return _crontab_rule(plan)
    if isinstance(plan, schedule):
        return Rule(rule=f"every {_seconds(plan.seconds)}s", dialect="interval-floating")
    return Rule(rule=f"{type(plan).__module__}.{type(plan).__qualname__}", dialect="unknown")


def _crontab_rule(plan: Any) -> Rule:
    names = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")
    text = " ".join(_cron_field(getattr(plan, f"_orig_{name}")) for name in names)
    zone = zone_name(plan.tz)
    return Rule(rule=text, dialect="celery-beat" if zone else "unknown", tz=zone or "UTC")


def _cron_field(field: Any) -> str:
    if isinstance(field, str):
        return "".join(field.split())
    return str(field) if isinstance(field, int) else ",".join(str(value) for value in sorted(field))


def _seconds(period: float) -> str:
    return f"{period:.6f}".rstrip("0").rstrip(".")


def zone_name(zone: Any) -> str | None:
    """The IANA name of a zone, or None when it has none (a host's own local time)."""
    name = getattr(zone, "key", None) or str(zone)
    with suppress(KeyError, ValueError, OSError):
        return ZoneInfo(name).key
    return None


def snapshot(source: str, entry: Any, app: Any, *, catch_up: str, send_arguments: bool, at: datetime) -> Record:
    """The definition of one beat entry, with a hash over everything but the moment it was seen."""
    rule = rule_of(entry.schedule)
    options = _task_options(app, entry)
    definition: Record = {
        "schedule_key": entry.name,
        "target": _target(app, entry, options, send_arguments),
        "rule": rule.rule,
        "dialect": rule.dialect,
        "tz": rule.tz,
        "anchor": rule.anchor,
        "grain": "s",
        "expires_after": _expires_after(options.get("expires")),
        "catch_up": catch_up,
        "enabled": True,
    }
    return _stamped(source, definition, at)


def _stamped(source: str, definition: Record, at: datetime) -> Record:
    canonical = json.dumps(definition, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    head = {"v": 1, "kind": "schedule", "source": source, "observed_at": instant_text(at)}
    return {**head, **definition, "definition_hash": digest}


def withdrawn(record: Mapping[str, Any], at: datetime) -> Record:
    """The snapshot of an entry that beat no longer has: the same definition, switched off."""
    outside = ("v", "kind", "source", "observed_at", "definition_hash")
    definition = {name: value for name, value in record.items() if name not in outside}
    return _stamped(record["source"], {**definition, "enabled": False}, at)


def _task_options(app: Any, entry: Any) -> dict[str, Any]:
    """The options of the entry over those the task class brings with it, as Celery merges them."""
    task = app.tasks.get(entry.task)
    from_task = {name: getattr(task, name, None) for name in ROUTING if name != "ignore_result"}
    return {**{k: v for k, v in from_task.items() if v is not None}, **dict(entry.options or {})}


def _target(app: Any, entry: Any, options: Mapping[str, Any], send_arguments: bool) -> Record:
    plain = {name: options[name] for name in ROUTING if _is_plain(options.get(name))}
    target: Record = {
        "task": entry.task,
        "queue": queue_of(app, entry.task, options),
        "options": plain,
        "has_arguments": bool(entry.args or entry.kwargs),
    }
    if send_arguments:
        target["args"], target["kwargs"] = (
            _as_json(list(entry.args or ())),
            _as_json(dict(entry.kwargs or {})),
        )
    return target


def queue_of(app: Any, task: str, options: Mapping[str, Any]) -> str:
    """The queue a message of this task goes to, by Celery's own router."""
    chosen: Any = options.get("queue")
    if chosen is None:
        with suppress(Exception):  # an application's own router may want a real call: then the default stands
            chosen = app.amqp.router.route({}, task).get("queue")
    chosen = chosen if chosen is not None else app.conf.task_default_queue
    return str(getattr(chosen, "name", chosen))


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bytes)


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))


def _expires_after(expires: Any) -> float | None:
    if isinstance(expires, timedelta):
        return expires.total_seconds()
    return float(expires) if isinstance(expires, Real) else None


class Definitions:
    """The snapshots already told, by schedule key; what beat no longer has is told as switched off.

    They are kept in the spool folder, because an entry may go away while beat is down.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / KNOWN
        self._told: dict[str, Record] = {}
        with suppress(OSError, ValueError):
            self._told = json.loads(self._path.read_text(encoding="utf-8"))
        self._first = True

    def changes(self, present: Mapping[str, Record], at: datetime) -> list[Record]:
        """The snapshots to send now: at the first call all of them, later those that differ."""
        gone = [key for key in self._told if key not in present]
        fresh = [record for key, record in present.items() if self._first or self._differs(key, record)]
        fresh += [withdrawn(self._told[key], at) for key in gone]
        self._told, self._first = dict(present), False
        if fresh:
            self._keep()
        return fresh

    def _differs(self, key: str, record: Record) -> bool:
        return key not in self._told or self._told[key]["definition_hash"] != record["definition_hash"]

    def queue(self, key: str) -> str | None:
        """The queue of one schedule, as told."""
        known = self._told.get(key)
        return known["target"]["queue"] if known else None

    def _keep(self) -> None:
        fresh = self._path.with_suffix(".new")
        with suppress(OSError):
            fresh.write_text(json.dumps(self._told), encoding="utf-8")
            fresh.replace(self._path)
