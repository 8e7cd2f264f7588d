"""Assign, prioritise, discuss, wait, close and reopen.

For owner and priority the last write wins; the timeline says what was there before.
"""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from occurrences.contract.errors import ContractError
from occurrences.contract.permissions import check_can_triage
from occurrences.models import WorkItem, WorkItemEntry
from occurrences.queries.people import person_of
from occurrences.services import audit

PRIORITIES = (1, 2, 3, 4)
LONGEST_COMMENT = 10_000


class BadInput(ContractError):
    """What was entered cannot be taken; the text says why."""


def _locked(pk: int, by: User) -> WorkItem:
    check_can_triage(person_of(by))
    return WorkItem.objects.select_for_update(no_key=True).get(pk=pk)


def _done(
    item: WorkItem, kind: str, text: str, by: User, now: datetime, *, before: Any = None, after: Any = None
) -> WorkItem:
    item.changed_at = now
    item.save()
    WorkItemEntry.objects.create(work_item=item, at=now, by=by.username, kind=kind, text=text)
    detail = {"text": text[:500]}
    audit.write(by=by, act=kind, subject=f"work item {item.pk}", now=now, before=before, after=after, detail=detail)
    return item


@transaction.atomic
def assign(*, pk: int, owner: User | None, by: User, now: datetime) -> WorkItem:
    """Give the work item to a person who may triage, or to nobody."""
    item = _locked(pk, by)
    if owner is not None:
        check_can_triage(person_of(owner))
    before, after = _name(item.owner), _name(owner)
    item.owner = owner
    text = f"to {after or 'nobody'}, was {before or 'nobody'}"
    return _done(item, "assigned", text, by, now, before=before, after=after)


def _name(person: User | None) -> str | None:
    return person.username if person is not None else None


@transaction.atomic
def set_priority(*, pk: int, priority: int, by: User, now: datetime) -> WorkItem:
    """Set P1 to P4. Raises BadInput for another number."""
    item = _locked(pk, by)
    if priority not in PRIORITIES:
        raise BadInput("a priority is one of P1 to P4")
    before, item.priority = item.priority, priority
    return _done(item, "priority", f"P{priority}, was P{before}", by, now, before=before, after=priority)


@transaction.atomic
def set_next_decision(*, pk: int, text: str, by: User, now: datetime) -> WorkItem:
    """Write down what has to be decided next, in one line."""
    item = _locked(pk, by)
    if len(text) > 500:
        raise BadInput("the next decision is one line of at most 500 characters")
    before, item.next_decision = item.next_decision, text.strip()
    return _done(item, "next decision", item.next_decision or "none", by, now, before=before, after=item.next_decision)


@transaction.atomic
def comment(*, pk: int, text: str, by: User, now: datetime) -> WorkItem:
    """Add a comment; it can be amended only by another one."""
    item = _locked(pk, by)
    if not text.strip():
        raise BadInput("a comment needs text")
    if len(text) > LONGEST_COMMENT:
        raise BadInput(f"a comment has at most {LONGEST_COMMENT} characters")
    return _done(item, "comment", text.strip(), by, now)


@transaction.atomic
def snooze(*, pk: int, until: datetime, by: User, now: datetime) -> WorkItem:
    """Wait until a time, or until the next handoff of one of its occurrences arrives."""
    item = _locked(pk, by)
    if item.closed_at is not None:
        raise BadInput("a closed work item cannot wait")
    if until <= now:
        raise BadInput("the time to wait until lies in the past")
    item.snoozed_until, item.snoozed_at = until, now
    return _done(item, "waiting", f"until {until:%Y-%m-%d %H:%M}Z, or the next handoff", by, now)


@transaction.atomic
def wake(*, pk: int, by: User, now: datetime) -> WorkItem:
    """End the waiting before its time."""
    item = _locked(pk, by)
    item.snoozed_until = item.snoozed_at = None
    return _done(item, "woken", "waits no longer", by, now)


@transaction.atomic
def close(*, pk: int, reason: str, by: User, now: datetime) -> WorkItem:
    """Close by hand, with a reason; the absences stay as they are and late evidence still answers them."""
    item = _locked(pk, by)
    if not reason.strip():
        raise BadInput("closing by hand needs a reason")
    if item.closed_at is not None:
        raise BadInput("it is closed already")
    item.closed_at, item.closed_as = now, "by hand"
    item.snoozed_until = item.snoozed_at = None
    return _done(item, "closed", reason.strip(), by, now, before="open", after="closed")


@transaction.atomic
def reopen(*, pk: int, reason: str, by: User, now: datetime) -> WorkItem:
    """Open a closed work item again, with a reason."""
    item = _locked(pk, by)
    if not reason.strip():
        raise BadInput("reopening needs a reason")
    if item.closed_at is None:
        raise BadInput("it is open")
    item.closed_at = item.closed_as = None
    return _done(item, "reopened", reason.strip(), by, now, before="closed", after="open")
