"""Window files: the case format read into a window, with the place of whatever is wrong in it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from .coverage import Coverage, Stretch
from .decisions import Choice
from .errors import ContractError, InvalidWindow, Refused
from .handoffs import Capabilities, Handoff, Role
from .json_lines import line_of
from .occurrences import Identity
from .policies import DEFAULT_ALLOWANCES, DEFAULT_GIVE_UP, Allowances
from .times import EARLIEST, LATEST
from .verdicts import Verdict
from .window_schedules import prose, read_timetable, read_wall_time, sections
from .windows import SOURCE, Decided, Event, Expected, Moment, Window
from .wire_fields import Fields, OutOfRangeError
from .workers import WorkerRow

ROLES = (Role.SCHEDULER, Role.WORKERS)
WORDS = tuple(handoff.word for handoff in Handoff)
LONGEST_SPAN = 10 * 366 * 86_400
# A month of a rule of every minute; a window is one incident, and all of it is held at once.
MOST_DUE = 50_000
ANSWERS: Mapping[str, tuple[object, ...]] = {
    "first_absent": (None, *WORDS),
    "verdict": tuple(verdict.value for verdict in Verdict),
    "replay_safe": (True, False, "needs-evidence"),
}


def read_window(content: bytes) -> Window:
    """Return the window that a file holds.

    InvalidWindow says on which line it cannot be read and, where it is JSON, at which place: `handoffs[3].at`.
    Fields that the format does not know are left alone.
    """
    text, document = _document(content)
    try:
        with _placed(""):
            return _window(Fields(document))
    except InvalidWindow as error:
        raise InvalidWindow(error.where, error.reason, line=line_of(text, error.where)) from None


def _document(content: bytes) -> tuple[str, Mapping[object, object]]:
    try:
        text = content.decode("utf-8-sig")
        document = json.loads(text)
    except UnicodeDecodeError as error:
        raise InvalidWindow("", "is not UTF-8", line=content.count(b"\n", 0, error.start) + 1) from None
    except json.JSONDecodeError as error:
        raise InvalidWindow("", f"is no JSON: {error.msg}, column {error.colno}", line=error.lineno) from None
    except ValueError:
        # Python reads no whole number of more than 4,300 digits.
        raise InvalidWindow("", "holds a number that is too long") from None
    except RecursionError:
        raise InvalidWindow("", "is nested too deep") from None
    if not isinstance(document, Mapping):
        raise InvalidWindow("", "is not an object")
    return text, document


@contextmanager
def _placed(where: str) -> Iterator[None]:
    """Say where a refusal of the contract comes from, unless it says so itself."""
    try:
        yield
    except InvalidWindow:
        raise
    except Refused as error:
        raise InvalidWindow(error.field, error.reason) from None
    except OutOfRangeError as error:
        raise InvalidWindow(error.field, "lies outside the years 2000 to 2100") from None
    except ContractError as error:
        raise InvalidWindow(where, str(error)) from None


def _window(fields: Fields) -> Window:
    schedule = fields.section("schedule")
    key = schedule.text("key")
    start, end = _span(fields.section("window"))
    with _placed("schedule"):
        timetable = read_timetable(schedule, fields)
        Identity(source=SOURCE, schedule_key=key, due_at=start)
    if next(islice(timetable.due_times(start, end), MOST_DUE, None), None) is not None:
        raise Refused("window", f"holds more than {MOST_DUE:,} due times")
    decisions = _decisions(fields, key)
    allowances, give_up = _policy(fields.section("policy"))
    return Window(
        case=fields.text("id"),
        schedule_key=key,
        timetable=timetable,
        allowances=allowances,
        give_up=give_up,
        start=start,
        end=end,
        workers=tuple(_worker(row) for row in sections(fields, "workers")),
        capabilities=_capabilities(fields),
        coverage=_coverage(fields),
        events=tuple(_event(row) for row in sections(fields, "handoffs")),
        decisions=decisions,
        moments=_moments(fields, key),
        never_due=tuple(read_wall_time(row) for row in sections(fields.section("expected"), "no_occurrence_for")),
        choice=_choice(fields),
        note=prose(fields, "note"),
    )


def _span(fields: Fields) -> tuple[datetime, datetime]:
    start, end = fields.moment("from"), fields.moment("to")
    if end < start:
        raise Refused(fields.name("to"), "lies before the beginning")
    return start, end


def _seconds(fields: Fields, field: str) -> timedelta | None:
    number = fields.optional_number(field, most=LONGEST_SPAN)
    return None if number is None else timedelta(seconds=number)


def _policy(fields: Fields) -> tuple[Allowances, timedelta]:
    steps = {
        "tick": "tick_grace_s",
        "enqueue": "enqueue_grace_s",
        "ready": "ready_grace_s",
        "claim": "claim_age_s",
        "start": "start_grace_s",
        "run": "run_time_limit_s",
    }
    spans: dict[str, timedelta] = {}
    for name, field in steps.items():
        fields.take(field)
        spans[name] = _seconds(fields, field) or timedelta(0)
    readback, give_up = _seconds(fields, "readback_grace_s"), _seconds(fields, "give_up_s")
    allowances = replace(DEFAULT_ALLOWANCES, **spans, expires=_seconds(fields, "expires_s"))
    if readback is not None:
        allowances = replace(allowances, readback=readback)
    return allowances, DEFAULT_GIVE_UP if give_up is None else give_up


def _worker(fields: Fields) -> WorkerRow:
    return WorkerRow(
        worker=fields.text("id"),
        up_from=fields.moment("up_from"),
        up_to=fields.optional_moment("up_to"),
        capacity=fields.integer("capacity"),
    )


def _capabilities(fields: Fields) -> Capabilities:
    section = fields.optional_section("capabilities")
    if section is None:
        return Capabilities()
    with _placed(section.path):
        return Capabilities.from_mapping({name: section.text(name) for name in section.value})


def _coverage(fields: Fields) -> Coverage:
    if fields.take("coverage", required=False) is None:
        whole = (Stretch(start=EARLIEST, end=LATEST, role=role) for role in ROLES)
        return Coverage(provable=True, stretches=tuple(whole))
    stretches = tuple(stretch for row in sections(fields, "coverage") for stretch in _stretches(row))
    return Coverage(provable=True, stretches=stretches)


def _stretches(fields: Fields) -> Iterator[Stretch]:
    start, end = _span(fields)
    role = fields.optional_choice("role", [role.value for role in ROLES])
    known_at = fields.optional_moment("recorded_at")
    for each in ROLES if role is None else (Role(role),):
        yield Stretch(start=start, end=end, role=each, known_at=known_at)


def _identity(text: str, where: str) -> Identity:
    with _placed(where):
        return Identity.parse(f"{SOURCE}/{text}")


def _event(fields: Fields) -> Event:
    kind = fields.choice("kind", WORDS[1:])
    run, named = fields.optional_text("identity"), fields.optional_text("occurrence")
    return Event(
        event_id=fields.text("event_id"),
        handoff=Handoff.from_word(kind),
        at=fields.moment("at"),
        recorded_at=fields.moment("recorded_at"),
        run=run,
        owner=fields.optional_text("owner"),
        named=None if named is None else _identity(named, fields.name("occurrence")),
        outcome=fields.optional_text("outcome"),
    )


def _decisions(fields: Fields, key: str) -> tuple[Decided, ...]:
    """Return the decisions in order of time; the replays of one occurrence are counted in that order."""
    found: list[Decided] = []
    rows = sorted(sections(fields, "decisions"), key=lambda row: row.moment("at"))
    for row in rows:
        choice = Choice(row.choice("decision", [choice.value for choice in Choice]))
        identity = _identity(row.text("occurrence"), row.name("occurrence"))
        recovery = row.optional_text("recovery_id") if choice is Choice.REPLAY else None
        if recovery is not None and recovery in {each.recovery_id for each in found}:
            raise Refused(row.name("recovery_id"), "is that of another decision")
        before = sum(each.identity == identity and each.choice is Choice.REPLAY for each in found)
        number = before + 1 if choice is Choice.REPLAY else 0
        found.append(
            Decided(identity=identity, choice=choice, at=row.moment("at"), number=number, recovery_id=recovery)
        )
    return tuple(each for each in found if each.identity.schedule_key == key)


def _moments(fields: Fields, key: str) -> tuple[Moment, ...]:
    earlier = sorted((_moment(row, row, key) for row in sections(fields, "expected_earlier")), key=lambda m: m.as_of)
    return (*earlier, _moment(fields, fields.section("expected"), key))


def _moment(at: Fields, fields: Fields, key: str) -> Moment:
    fields.take("occurrences")
    expected: dict[Identity, Expected] = {}
    for row in sections(fields, "occurrences"):
        wanted = _expected(row, key)
        if expected.setdefault(wanted.identity, wanted) is not wanted:
            raise Refused(row.name("identity"), "is expected twice")
    return Moment(as_of=at.moment("observe_at"), expected=tuple(expected.values()))


def _expected(fields: Fields, key: str) -> Expected:
    identity = _identity(fields.text("identity"), fields.name("identity"))
    if identity.schedule_key != key:
        raise Refused(fields.name("identity"), "is that of another schedule")
    answers: dict[str, object] = {"local_due": fields.text("local_due")}
    for field, known in ANSWERS.items():
        if field not in fields.value:
            raise Refused(fields.name(field), "is missing")
        answers[field] = _known(fields.value[field], known, fields.name(field))
    also = fields.optional_section("also_acceptable")
    return Expected(identity=identity, fields=answers, also={} if also is None else _also(also))


def _also(fields: Fields) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for field in fields.value:
        known = ANSWERS.get(field)
        values = tuple(fields.items(field))
        found[field] = values if known is None else tuple(_known(v, known, fields.name(field)) for v in values)
    return found


def _known(value: object, known: Sequence[object], where: str) -> object:
    # 1 equals true in Python, and would be taken for it.
    if (isinstance(value, int) and not isinstance(value, bool)) or value not in known:
        raise Refused(where, f"is {json.dumps(value)}, not one of {', '.join(json.dumps(each) for each in known)}")
    return value


def _choice(fields: Fields) -> Choice | None:
    choice = fields.optional_choice("choice", [choice.value for choice in Choice])
    return None if choice is None else Choice(choice)
