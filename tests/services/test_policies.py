"""A version is published once and never edited; re-judging moves what is open and leaves what is closed."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from occurrences.contract.permissions import Forbidden
from occurrences.models import Absence, AuditEntry, ClaimAgePolicy, Occurrence, WorkItemEntry
from occurrences.services import policies
from occurrences.services.absences import sweep
from tests import wire
from tests.recovery import M, S, person
from tests.wire import SOURCE, T0, handoff, record

pytestmark = pytest.mark.django_db
HALF = {
    "tick": 60.0, "enqueue": 30.0, "ready": 30.0, "claim": 300.0, "start": 60.0, "run": 3600.0, "readback": 900.0,
    "fold": 900.0, "expires": None,
}  # fmt: skip
NOW = T0 + 6 * M  # ready since T0 + 2 s: inside the claim age of ten minutes, outside one of five


@pytest.fixture(autouse=True)
def waiting():
    """One occurrence waits for its claim; the one before was claimed after seven minutes and succeeded."""
    wire.source(now=T0 - timedelta(hours=2))
    start = T0 - 20 * M
    record([wire.schedule(at=start, rule="every 1200s", anchor=wire.text(T0)), *wire.watched(start)], now=start)
    early = [handoff(w, start + s * S, due=start, run="early") for w, s in (("tick", 1), ("enqueue", 2))]
    early += [
        handoff(w, start + 7 * M + s * S, due=start, run="early")
        for w, s in (("claim", 0), ("start", 1), ("terminal", 2))
    ]
    record(early, now=start + 8 * M)
    record([handoff("tick", T0 + S), handoff("enqueue", T0 + 2 * S)], now=T0 + 3 * S)
    record(
        [wire.process("workers", start, spool="worker", state="offline", last_seen=wire.text(T0 + S))], now=T0 + 3 * S
    )
    record(wire.covered(NOW), now=NOW)
    sweep(by="tests", now=NOW)


def verdicts() -> list[str]:
    return list(Occurrence.objects.filter(due_at__lte=T0).order_by("due_at").values_list("verdict", flat=True))


def publish(*, rejudge: bool, by: User | None = None, **more: object) -> ClaimAgePolicy:
    values = {
        "scope": "all",
        "target": "",
        "seconds": HALF,
        "effective_from": NOW,
        "reason": "ten minutes are too long",
    }
    version = policies.publish(**(values | more), rejudge=rejudge, by=by or person("ada", "admin"), now=NOW)
    sweep(by="tests", now=NOW + S)
    return version


def test_before_the_change_nothing_is_flagged():
    assert verdicts() == ["on-time", "pending"]


def test_judged_again_the_open_one_changes_as_computed_and_the_closed_one_does_not():
    version = publish(rejudge=True)
    # claim limit by hand: ready at T0 + 2 s, five minutes of claim age: T0 + 5 min 2 s lies before NOW
    assert verdicts() == ["on-time", "delayed-claim"]
    absence = Absence.objects.get()
    assert (absence.expected_by, absence.policy_raised) == (T0 + 5 * M + 2 * S, version)
    closed = Occurrence.objects.get(due_at=T0 - 20 * M)
    assert closed.policy.version == 1


def test_without_judging_again_nothing_changes():
    publish(rejudge=False)
    assert verdicts() == ["on-time", "pending"]
    assert not Absence.objects.exists()


def test_a_flagged_one_that_the_new_limits_let_pass_is_closed_by_the_new_version():
    publish(rejudge=True)
    long = publish(rejudge=True, seconds=HALF | {"claim": 3600.0})
    assert verdicts() == ["on-time", "pending"]
    absence = Absence.objects.get()
    assert (absence.policy_raised.version, absence.policy_closed) == (2, long)
    assert WorkItemEntry.objects.filter(kind="policy changed").count() == 1


def test_a_more_specific_scope_is_left_alone():
    publish(rejudge=True, scope="source", target=SOURCE, seconds=HALF | {"claim": 3600.0})
    publish(rejudge=True)
    assert verdicts() == ["on-time", "pending"]


def test_a_version_is_numbered_audited_and_carries_author_and_reason():
    version = publish(rejudge=False)
    assert (version.version, version.author, version.reason) == (2, "ada", "ten minutes are too long")
    assert AuditEntry.objects.filter(act="policy published").count() == 1


@pytest.mark.parametrize("role", ["viewer", "operator", "owner"])
def test_only_admins_publish(role):
    with pytest.raises(Forbidden, match="admin"):
        publish(rejudge=True, by=person("nobody", role, "Billing"))
    assert ClaimAgePolicy.objects.count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"reason": " "},
        {"scope": "all", "target": "x"},
        {"scope": "source", "target": ""},
        {"scope": "moon"},
        {"seconds": HALF | {"claim": -1.0}},
        {"seconds": HALF | {"claim": None}},
        {"seconds": HALF | {"run": 1e12}},
        {"seconds": HALF | {"expires": 0.0}},
    ],
)
def test_what_cannot_be_published_is_refused_with_a_sentence(wrong):
    from occurrences.contract.errors import ContractError

    with pytest.raises(ContractError):
        publish(rejudge=True, **wrong)
    assert ClaimAgePolicy.objects.count() == 1
