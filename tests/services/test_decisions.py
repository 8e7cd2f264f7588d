"""Decide once, on the evidence that was looked at; what is refused leaves nothing behind."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from occurrences.contract.decisions import Choice
from occurrences.contract.permissions import Forbidden
from occurrences.models import Absence, AuditEntry, Decision, Occurrence, Replay, Schedule, WorkItem, WorkItemEntry
from occurrences.queries.decisions import overtaken
from occurrences.services.absences import sweep
from occurrences.services.decisions import Blocked, Conflict, NoReason
from tests import races, recovery, wire
from tests.recovery import NOW, S, decided, missed, person
from tests.wire import T0, handoff, record

pytestmark = pytest.mark.django_db


def nothing_was_recorded() -> bool:
    return not (Decision.objects.exists() or Replay.objects.exists())


def test_a_replay_is_decision_outbox_timeline_and_audit_in_one():
    case = missed()
    outcome = decided(case)
    replay = Replay.objects.get()
    assert (outcome.repeated, outcome.decision.number, replay.decision) == (False, 1, outcome.decision)
    assert (replay.recovery_number, replay.published_at, replay.closed_at) == (1, None, None)
    assert WorkItemEntry.objects.filter(kind="decided replay", text="beat was away", by="olga").count() == 1
    assert AuditEntry.objects.filter(act="decided", by="olga").count() == 1
    assert Occurrence.objects.get(key=case.key).evidence_revision == case.row.evidence_revision + 1


def test_the_decision_keeps_what_the_person_saw():
    decision = decided(missed()).decision
    assert (decision.verdict, decision.role, decision.snapshot["first_absent"]) == ("missing-tick", "owner", "tick")
    assert {c["name"] for c in decision.checks} >= {"B1", "B2", "B3", "B4"}


def test_the_same_form_again_returns_the_first_answer_and_starts_nothing():
    case, key = missed(), uuid4()
    first = decided(case, decision_key=key)
    again = decided(case, decision_key=key, choice=Choice.SKIP, reason="other words", evidence_revision=999)
    assert (again.repeated, again.decision) == (True, first.decision)
    assert Replay.objects.count() == 1


def test_the_key_of_another_form_answers_for_that_form_alone():
    case, key = missed(), uuid4()
    decided(case, decision_key=key)
    with pytest.raises(Conflict):
        decided(case, decision_key=key, by=person("otto", "operator"))
    later = T0 + recovery.M
    record([handoff("tick", later, due=later)], now=later)
    other = Occurrence.objects.get(due_at=later)
    with pytest.raises(Conflict):
        decided(recovery.SimpleNamespace(key=other.key, owner=case.owner), decision_key=key)
    assert Decision.objects.count() == 1


def test_evidence_that_came_since_the_form_was_made_is_a_conflict():
    case = missed()
    seen = case.row.evidence_revision
    record([handoff("tick", T0 + S)], now=NOW)
    with pytest.raises(Conflict):
        decided(case, evidence_revision=seen)
    assert nothing_was_recorded()


def test_a_decision_somebody_else_made_is_a_conflict():
    case = missed()
    seen = case.row.evidence_revision
    decided(case)
    with pytest.raises(Conflict):
        decided(case, evidence_revision=seen, by=person("otto", "operator"))
    assert Decision.objects.count() == 1


@pytest.mark.parametrize("reason", ["", "  \n "])
def test_a_decision_needs_a_reason(reason):
    case = missed()
    with pytest.raises(NoReason):
        decided(case, reason=reason)
    assert nothing_was_recorded()


@pytest.mark.parametrize(
    ("name", "role", "teams", "may"),
    [
        ("vera", "viewer", (), False),
        ("otto", "operator", (), True),
        ("olga", "owner", ("Billing",), True),
        ("oskar", "owner", ("Other",), True),
        ("ada", "admin", (), False),
        ("anna", "admin", ("Billing",), True),
        ("nora", "viewer", ("Billing",), False),
    ],
)
def test_who_may_decide(name, role, teams, may):
    case = missed()
    by = person(name, role, *teams)
    if may:
        assert decided(case, by=by).decision.person == by
    else:
        with pytest.raises(Forbidden, match="Needs"):
            decided(case, by=by)
        assert nothing_was_recorded()


def test_where_operators_may_not_decide_only_the_owner_may():
    case = missed()
    Schedule.objects.update(operators_may_decide=False)
    with pytest.raises(Forbidden, match="team Billing"):
        decided(case, by=person("otto", "operator"))
    assert decided(case).decision.number == 1


def test_without_an_owner_an_admin_decides():
    case = missed(team=None)
    assert decided(case, by=person("ada", "admin")).decision.role == "admin"


def test_a_source_without_a_target_cannot_be_replayed_but_skipped():
    case = missed()
    with pytest.raises(Blocked, match="no replay target"):
        decided(case, targets={})
    assert nothing_was_recorded()
    assert decided(case, Choice.SKIP, targets={}).decision.choice == "skip"


def test_a_second_replay_waits_for_the_end_of_the_first():
    case = missed()
    decided(case)
    with pytest.raises(Blocked, match="under way"):
        decided(case)
    assert Replay.objects.count() == 1


def test_what_is_not_due_yet_needs_no_decision():
    case = missed()
    with pytest.raises(Blocked, match="not due yet"):
        decided(case, now=T0 - S)


def test_what_succeeded_needs_no_decision():
    case = missed()
    record(wire.full_path(), now=NOW)
    with pytest.raises(Blocked, match="succeeded"):
        decided(case)


def test_a_skip_closes_the_work_item_and_a_late_start_reopens_it_at_p1():
    case = missed()
    decided(case, Choice.SKIP)
    sweep(by="tests", now=NOW + S)
    item = WorkItem.objects.get()
    assert (item.closed_as, Absence.objects.get().closed_as) == ("by itself", "skipped")
    late = [b | {"observed_at": wire.text(NOW + 10 * S)} for b in wire.full_path()[:4]]
    record(late, now=NOW + 11 * S)
    sweep(by="tests", now=NOW + 12 * S)
    item.refresh_from_db()
    assert (item.closed_at, item.priority) == (None, 1)
    assert Occurrence.objects.get(key=case.key).verdict == "ran-after-skip"
    assert WorkItemEntry.objects.filter(kind="reopened").count() == 1


def test_evidence_after_a_decision_is_kept_and_said_and_changes_nothing_of_it():
    case = missed()
    decision = decided(case, Choice.SKIP).decision
    before = Decision.objects.values().get()
    assert overtaken([decision]) == set()
    late = [b | {"observed_at": wire.text(NOW + 10 * S)} for b in wire.full_path()[:3]]
    assert record(late, now=NOW + 11 * S).accepted == 3
    assert record(late, now=NOW + 12 * S).duplicate == 3
    line = WorkItemEntry.objects.get(kind="late evidence")
    assert (line.occurrence_id, line.work_item) == (case.key, WorkItem.objects.get())
    assert line.text.startswith(
        "Evidence of the original came after the decision: Scheduler tick, Enqueue, Worker claim"
    )
    assert Decision.objects.values().get() == before
    assert overtaken([decision]) == {decision.pk}


def test_a_replay_under_way_leaves_its_work_item_open():
    decided(missed())
    sweep(by="tests", now=NOW + S)
    assert WorkItem.objects.get().closed_at is None


@pytest.mark.parametrize("verb", ["UPDATE occurrences_decision SET reason = 'x'", "DELETE FROM occurrences_decision"])
def test_decisions_are_append_only(verb):
    decided(missed(), Choice.SKIP)
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(verb)


def lock(case: object) -> tuple[object, ...]:
    return ("SELECT 1 FROM occurrences_occurrence WHERE key = %s FOR UPDATE", case.key)


@pytest.mark.django_db(transaction=True)
def test_fifty_identical_submissions_at_once_are_one_decision_and_fifty_equal_answers():
    case, key = missed(), uuid4()
    answers = races.meet(lock=lock(case), work=lambda: decided(case, decision_key=key), times=50, met=40)
    assert len({a.decision.pk for a in answers}) == 1
    assert sorted(a.repeated for a in answers) == [False] + [True] * 49
    assert Replay.objects.count() == 1


ROUNDS = 100


@pytest.mark.django_db(transaction=True)
def test_of_two_owners_at_once_one_decides_and_the_other_is_told_in_each_of_a_hundred_rounds():
    """Each round is an occurrence of its own; the loser is seen waiting on the lock before the winner commits."""
    wire.source(now=T0)
    record([wire.schedule(at=T0, rule="every 60s")], now=T0)
    from occurrences.services.schedules import plan

    plan(now=T0 + 2 * ROUNDS * recovery.M, ahead=recovery.M)
    people = [person("olga", "owner"), person("oskar", "owner")]
    conflicts = 0
    for row in Occurrence.objects.order_by("due_at")[:ROUNDS]:
        turn = iter(people)

        def one(row=row, turn=turn) -> object:
            try:
                return recovery.decided(
                    recovery.SimpleNamespace(key=row.key, owner=None), by=next(turn), now=T0 + 2 * ROUNDS * recovery.M
                )
            except Conflict as conflict:
                return conflict

        seen = ("SELECT 1 FROM occurrences_occurrence WHERE key = %s FOR UPDATE", row.key)
        answers = races.meet(lock=seen, work=one)
        conflicts += sum(isinstance(a, Conflict) for a in answers)
    assert (Decision.objects.count(), conflicts) == (ROUNDS, ROUNDS)


@pytest.mark.django_db(transaction=True)
def test_two_work_items_on_one_occurrence_give_one_live_replay():
    """Whoever gets past the revision check: the index lets one live replay in."""
    case = missed()
    decided(case)
    replay = Replay.objects.get()
    replay.recovery_id, replay.recovery_number = uuid4(), 2
    with pytest.raises(IntegrityError), transaction.atomic():
        replay.save(force_insert=True)
