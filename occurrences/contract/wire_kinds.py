"""From the fields of a wire record to a typed value, one function for each kind."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from .errors import InvalidIdentity, NotPlaced, Refused
from .handoffs import WORDS, Handoff, Role
from .occurrences import Identity, check_schedule_key
from .wire_fields import LARGEST_NUMBER, Fields, OutOfRangeError, check_deep
from .wire_records import CoverageIn, HandoffIn, ProcessIn, ScheduleIn
from .wire_text import canonical

SCALARS = (str, int, float, bool, type(None))
LARGEST_DETAIL = 4096
LARGEST_ARGUMENTS = 32_768
OUTCOMES = ("ok", "failed", "skipped", "duplicate", "collapsed")
RESULTS = ("succeeded", "failed", "cancelled", "expired", "lost", "retrying")
BASES = ("nominal", "derived", "floating", "unknown")
LONGEST_EXPIRY = 10 * 366 * 86_400  # seconds; a message nobody throws away in ten years never expires
LONGEST_NAME = 64  # of a dialect or a zone
REPORTED = tuple(word for word in WORDS if word != Handoff.DUE.word)
Found = TypeVar("Found")


def handoff_in(fields: Fields, source: str) -> HandoffIn:
    """Return a handoff record; Refused and NotPlaced as in the wire module."""
    record_id = fields.text("record_id")
    word = fields.choice("handoff", REPORTED)
    try:
        return _handoff(fields, source, record_id, Handoff.from_word(word))
    except OutOfRangeError as error:
        # The rest of the record is not read any more: it is kept as it came.
        raise NotPlaced(str(error), record_id, word) from None


def schedule_in(fields: Fields, source: str) -> ScheduleIn:
    """Return a schedule snapshot; it can always be placed, so another century is a broken format."""
    target = fields.section("target")
    arguments = target.take("args", required=False)
    keywords = target.optional_section("kwargs")
    result = ScheduleIn(
        source=source,
        schedule_key=_schedule_key(fields),
        observed_at=_dated(fields.moment, "observed_at"),
        task=target.optional_text("task"),
        queue=target.optional_text("queue"),
        options=_small(target.optional_section("options"), "target.options", LARGEST_DETAIL),
        has_arguments=target.boolean("has_arguments"),
        args=_arguments(target) if arguments is not None else None,
        kwargs=_small(keywords, "target.kwargs", LARGEST_ARGUMENTS) if keywords is not None else None,
        rule=fields.text("rule"),
        dialect=fields.text("dialect", longest=LONGEST_NAME),
        tz=fields.text("tz", longest=LONGEST_NAME),
        anchor=_dated(fields.optional_anchor, "anchor"),
        grain=fields.choice("grain", ("s", "min")),
        expires_after=fields.optional_number("expires_after", most=LONGEST_EXPIRY),
        catch_up=fields.choice("catch_up", ("latest", "none")),
        enabled=fields.boolean("enabled"),
        definition_hash=_hash(fields),
    )
    target.refuse_unknown()
    return result


def process_in(fields: Fields, source: str) -> ProcessIn:
    """Return a process record."""
    return ProcessIn(
        source=source,
        name=fields.text("name"),
        role=_role(fields),
        host=fields.text("host"),
        pid=fields.integer("pid", least=1),
        spool=fields.text("spool"),
        started_at=_dated(fields.moment, "started_at"),
        queues=fields.texts("queues"),
        capacity=fields.integer("capacity"),
        active=fields.integer("active"),
        last_seen=_dated(fields.moment, "last_seen"),
        state=fields.choice("state", ("online", "offline", "lost")),
        refused=fields.integer("refused"),
    )


def coverage_in(fields: Fields, source: str) -> CoverageIn:
    """Return a coverage record; its two numbers are given together or not at all."""
    first = fields.optional_integer("seq_first", least=1, most=LARGEST_NUMBER)
    last = fields.optional_integer("seq_last", least=1, most=LARGEST_NUMBER)
    if (first is None) is not (last is None) or (first is not None and last is not None and last < first):
        raise Refused("seq_last", "does not fit seq_first")
    return CoverageIn(
        source=source,
        role=_role(fields),
        spool=fields.text("spool"),
        seq_first=first,
        seq_last=last,
        up_to=_dated(fields.moment, "up_to"),
    )


def _handoff(fields: Fields, source: str, record_id: str, handoff: Handoff) -> HandoffIn:
    clock, owner = fields.section("clock"), fields.section("owner")
    identity, schedule_key, due_at = _named(fields, source)
    job_ref = fields.optional_text("job_ref")
    if job_ref is None and identity is None:
        raise Refused("job_ref", "is missing, and so are schedule_key and due_at: one of them names the run")
    detail = _detail(fields)
    recovery_id, recovery = _recovery(fields)
    result = HandoffIn(
        source=source,
        record_id=record_id,
        handoff=handoff,
        outcome=fields.choice("outcome", RESULTS if handoff is Handoff.TERMINAL else OUTCOMES),
        observed_at=fields.moment("observed_at"),
        clock_host=clock.optional_text("host"),
        clock_basis=clock.optional_text("basis"),
        uncertainty_ms=clock.optional_integer("uncertainty_ms"),
        owner_role=owner.choice("role", ("scheduler", "broker", "worker", "operator")),
        owner_name=owner.optional_text("name"),
        owner_host=owner.optional_text("host"),
        owner_pid=owner.optional_integer("pid", least=1),
        identity=identity,
        schedule_key=schedule_key,
        due_at=due_at,
        due_basis=fields.optional_choice("due_basis", BASES) or "nominal",
        job_ref=job_ref,
        delivery=fields.optional_integer("delivery", least=1) or 1,
        expires_at=fields.optional_moment("expires_at"),
        eta=detail.optional_moment("eta"),
        collapsed=tuple(fields.moments("collapsed")),
        recovery_id=recovery_id,
        recovery=recovery,
        queue=fields.optional_text("queue"),
        detail=detail.value,
    )
    clock.refuse_unknown()
    owner.refuse_unknown()
    # Nothing is built on these yet; the raw record keeps them.
    fields.optional_text("due_local")
    fields.optional_text("tz")
    aliases = fields.take("aliases", required=False)
    check_deep(aliases, "aliases")
    _check_size(aliases, "aliases", LARGEST_DETAIL)
    return result


def _named(fields: Fields, source: str) -> tuple[Identity | None, str | None, datetime | None]:
    """Return the occurrence a record names: schedule key and due time come together or not at all."""
    key, due_at = fields.optional_text("schedule_key"), fields.optional_moment("due_at")
    if (key is None) is not (due_at is None):
        raise Refused("due_at" if due_at is None else "schedule_key", "is missing beside the other one")
    if key is None or due_at is None:
        return None, None, None
    try:
        identity = Identity(source=source, schedule_key=key, due_at=due_at)
    except InvalidIdentity as error:
        raise Refused("schedule_key", str(error)) from None
    return identity, key, identity.due_at


def _detail(fields: Fields) -> Fields:
    """Return the small free object of a record: plain values only, and never the arguments of a task."""
    detail = fields.optional_section("detail") or Fields({}, "detail")
    for name, item in detail.value.items():
        if name in ("args", "kwargs"):
            raise Refused(f"detail.{name}", "arguments of a task are not taken here")
        if not isinstance(item, SCALARS):
            raise Refused(f"detail.{name[:64]}", "is not a plain value")
    check_deep(detail.value, "detail")
    _check_size(detail.value, "detail", LARGEST_DETAIL)
    return detail


def _recovery(fields: Fields) -> tuple[str | None, int]:
    """Return the id and number of the replay that caused a record; the tap knows the id alone."""
    item = fields.take("recovery", required=False)
    if item is None:
        return None, 0
    if isinstance(item, str):
        return _uuid(fields.text("recovery"), "recovery"), 1
    recovery = fields.section("recovery")
    number = recovery.optional_integer("n", least=1) or 1
    recovery_id = _uuid(recovery.text("id"), "recovery.id")
    recovery.optional_text("original_record_id")
    recovery.refuse_unknown()
    return recovery_id, number


def _uuid(text: str, field: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise Refused(field, "is not a UUID") from None


def _dated(read: Callable[[str], Found], field: str) -> Found:
    try:
        return read(field)
    except OutOfRangeError:
        raise Refused(field, "lies outside the years that can be kept") from None


def _role(fields: Fields) -> Role:
    return Role(fields.choice("role", (Role.SCHEDULER.value, Role.WORKERS.value)))


def _schedule_key(fields: Fields) -> str:
    key = fields.text("schedule_key")
    try:
        check_schedule_key(key)
    except InvalidIdentity as error:
        raise Refused("schedule_key", str(error)) from None
    return key


def _hash(fields: Fields) -> str:
    text = fields.text("definition_hash")
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise Refused("definition_hash", "is not 64 hexadecimal digits")
    return text


def _small(fields: Fields | None, name: str, largest: int) -> dict[str, object]:
    if fields is None:
        return {}
    check_deep(fields.value, name)
    _check_size(fields.value, name, largest)
    return fields.value


def _arguments(target: Fields) -> tuple[object, ...]:
    items = target.items("args")
    check_deep(list(items), "target.args")
    _check_size(list(items), "target.args", LARGEST_ARGUMENTS)
    return tuple(items)


def _check_size(value: object, field: str, largest: int) -> None:
    try:
        size = len(canonical(value))
    except ValueError:
        raise Refused(field, "holds a number that is not JSON") from None
    if size > largest:
        raise Refused(field, f"is larger than {largest} bytes")
