"""Triage: each act has its line on the timeline and in the audit, and its permission."""

from datetime import timedelta

import pytest

from occurrences.contract.permissions import Forbidden
from occurrences.models import AuditEntry, WorkItem, WorkItemEntry
from occurrences.services import teams, work_items
from occurrences.services.work_items.triage import BadInput
from tests.recovery import NOW, M, S, missed, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def item() -> WorkItem:
    missed()
    return WorkItem.objects.get()


@pytest.fixture
def otto(item):
    return person("otto", "operator")


ACTS = [
    ("assign", {"owner": None}, "assigned"),
    ("set_priority", {"priority": 1}, "priority"),
    ("set_next_decision", {"text": "replay before noon?"}, "next decision"),
    ("comment", {"text": "beat was redeployed"}, "comment"),
    ("snooze", {"until": NOW + timedelta(hours=1)}, "waiting"),
    ("close", {"reason": "known outage"}, "closed"),
]


@pytest.mark.parametrize(("act", "what", "kind"), ACTS)
def test_each_act_leaves_a_line_and_an_audit_row(item, otto, act, what, kind):
    before = AuditEntry.objects.count()
    getattr(work_items, act)(pk=item.pk, by=otto, now=NOW + S, **what)
    assert WorkItemEntry.objects.filter(work_item=item, kind=kind, by="otto").count() == 1
    assert AuditEntry.objects.count() == before + 1


@pytest.mark.parametrize(("act", "what", "kind"), ACTS)
def test_a_viewer_does_none_of_it(item, act, what, kind):
    with pytest.raises(Forbidden, match="Needs an operator"):
        getattr(work_items, act)(pk=item.pk, by=person("vera", "viewer"), now=NOW, **what)
    assert not WorkItemEntry.objects.filter(kind=kind).exists()


def test_the_line_of_an_assignment_says_who_had_it_before(item, otto):
    work_items.assign(pk=item.pk, owner=otto, by=otto, now=NOW)
    work_items.assign(pk=item.pk, owner=person("olga", "owner"), by=otto, now=NOW + S)
    assert WorkItemEntry.objects.filter(text="to olga, was otto").exists()


def test_a_viewer_cannot_be_given_a_work_item(item, otto):
    with pytest.raises(Forbidden):
        work_items.assign(pk=item.pk, owner=person("vera", "viewer"), by=otto, now=NOW)


def test_closed_by_hand_it_can_be_reopened_with_a_reason(item, otto):
    work_items.close(pk=item.pk, reason="known", by=otto, now=NOW + S)
    with pytest.raises(BadInput, match="needs a reason"):
        work_items.reopen(pk=item.pk, reason=" ", by=otto, now=NOW + M)
    reopened = work_items.reopen(pk=item.pk, reason="not known after all", by=otto, now=NOW + M)
    assert reopened.closed_at is None


@pytest.mark.parametrize(
    ("act", "what"),
    [
        ("set_priority", {"priority": 9}),
        ("comment", {"text": "  "}),
        ("comment", {"text": "x" * 10_001}),
        ("snooze", {"until": NOW - S}),
        ("close", {"reason": ""}),
        ("reopen", {"reason": "x"}),
        ("set_next_decision", {"text": "x" * 501}),
    ],
)
def test_what_cannot_be_taken_is_refused_with_a_sentence(item, otto, act, what):
    with pytest.raises(BadInput):
        getattr(work_items, act)(pk=item.pk, by=otto, now=NOW, **what)
    assert not WorkItemEntry.objects.filter(by="otto").exists()


def test_a_team_is_given_by_admins_and_what_a_second_run_does_is_said_by_owners(item):
    from occurrences.models import Schedule

    schedule = Schedule.objects.get()
    ada, olga, otto = person("ada", "admin"), person("olga", "owner", "Billing"), person("otto", "operator")
    assert teams.set_team(schedule=schedule.pk, team="Billing", by=ada, now=NOW).team.name == "Billing"
    with pytest.raises(Forbidden):
        teams.set_team(schedule=schedule.pk, team=None, by=olga, now=NOW)
    with pytest.raises(teams.NoSuchTeam):
        teams.set_team(schedule=schedule.pk, team="nobody", by=ada, now=NOW)
    said = teams.set_recovery(schedule=schedule.pk, effect_class="keyed", operators_may_decide=False, by=olga, now=NOW)
    assert (said.effect_class, said.operators_may_decide) == ("keyed", False)
    with pytest.raises(Forbidden, match="team Billing"):
        teams.set_recovery(schedule=schedule.pk, effect_class="once", operators_may_decide=True, by=otto, now=NOW)
    with pytest.raises(teams.BadEffectClass):
        teams.set_recovery(schedule=schedule.pk, effect_class="maybe", operators_may_decide=True, by=olga, now=NOW)


def test_the_labs_schedules_have_a_team_with_an_owner_in_it():
    from occurrences.lab.plan import JOBS
    from occurrences.models import Schedule, Team
    from occurrences.services import installation

    installation.prepare(by="tests", now=NOW, lab=True)
    installation.prepare(by="tests", now=NOW, lab=True)
    assert set(Schedule.objects.filter(team__name="Lab").values_list("key", flat=True)) == {j.key for j in JOBS}
    assert [m.username for m in Team.objects.get(name="Lab").members.all()] == ["lab-owner"]
