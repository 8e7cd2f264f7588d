"""Browsers of people of each role, and pages as text."""

import re
from uuid import uuid4

from django.contrib.auth.models import User
from django.test import Client

from occurrences.models import Occurrence, Schedule, Team
from occurrences.queries.pages.addresses import address_of
from tests.builders import Night


def client_of(user: User, **more: object) -> Client:
    client = Client(**more)  # type: ignore[arg-type]
    client.force_login(user)
    return client


def flat(page: bytes | str) -> str:
    text = page.decode() if isinstance(page, bytes) else page
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text.partition("<main")[2]))


def owned(team: str, *members: User) -> Team:
    """All schedules belong to this team."""
    made, _ = Team.objects.get_or_create(name=team)
    made.members.add(*members)
    Schedule.objects.update(team=made)
    return made


def draft(night: Night, key: str = "invoice-rollup", **more: object) -> dict[str, object]:
    """What the decide form of this occurrence would send now."""
    row = Occurrence.objects.get(key=night.identity(key).key)
    return {
        "choice": "replay",
        "reason": "beat was away, the queue is idle",
        "evidence_rev": row.evidence_revision,
        "decision_key": str(uuid4()),
        "shown_at": night.now.isoformat(),
        "shown_verdict": row.verdict,
    } | more


def decide_at(night: Night, key: str = "invoice-rollup") -> str:
    return address_of(night.identity(key)) + "decisions/"
