from django.db import models
from django.db.models import Q

from occurrences.contract.occurrences import Identity
from occurrences.models.fields import HANDOFFS, ROLES, VERDICTS, both_or_neither, one_of, times_within
from occurrences.models.policies import ClaimAgePolicy
from occurrences.models.schedules import Schedule, ScheduleRevision
from occurrences.models.sources import Source


class Occurrence(models.Model):
    """One due time of one schedule. The key is computed from the identity and never changes.

    Verdict, first absent handoff and next deadline are a cache of what the judge said last.
    """

    key = models.UUIDField(primary_key=True)
    source = models.ForeignKey(Source, models.PROTECT, related_name="+")
    schedule = models.ForeignKey(Schedule, models.PROTECT, related_name="occurrences", db_index=False)
    revision = models.ForeignKey(ScheduleRevision, models.PROTECT, null=True, related_name="+", db_index=False)
    policy = models.ForeignKey(ClaimAgePolicy, models.PROTECT, null=True, related_name="+", db_index=False)
    policy_moved = models.BooleanField(db_default=False)
    due_at = models.DateTimeField()
    due_local = models.CharField(max_length=32)
    zone = models.CharField(max_length=64)
    utc_offset_seconds = models.IntegerField()
    fold = models.PositiveSmallIntegerField(default=0)
    gap_note = models.CharField(max_length=200, blank=True)
    dialect = models.CharField(max_length=64)
    tzdata = models.CharField(max_length=32, blank=True)
    planned = models.BooleanField()
    expected_gap = models.BooleanField(default=False)
    verdict = models.CharField(max_length=32, choices=VERDICTS, default="pending")
    first_absent = models.PositiveSmallIntegerField(choices=HANDOFFS, null=True)
    next_deadline = models.DateTimeField(null=True)
    next_role = models.CharField(max_length=16, choices=ROLES, null=True)  # noqa: DJ001  null with next_deadline
    flagged_at = models.DateTimeField(null=True)
    blind_from = models.DateTimeField(null=True)
    evidence_revision = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            one_of("occurrence", "verdict", [v for v, _ in VERDICTS]),
            one_of("occurrence", "first_absent", [h for h, _ in HANDOFFS]),
            one_of("occurrence", "next_role", [r for r, _ in ROLES]),
            one_of("occurrence", "fold", [0, 1]),
            both_or_neither("occurrence", "next_deadline", "next_role"),
            *times_within("occurrence", "due_at", "next_deadline", "flagged_at", "blind_from", "changed_at"),
        ]
        indexes = [
            models.Index(
                fields=["source", "next_role", "next_deadline", "key"],
                condition=Q(next_deadline__isnull=False),
                name="occurrence_deadline",
            ),
            models.Index(fields=["schedule", "due_at"], name="occurrence_of_schedule"),
            models.Index(fields=["source"], condition=Q(verdict="unknown"), name="occurrence_unknown"),
            models.Index(
                fields=["source", "blind_from"], condition=Q(blind_from__isnull=False), name="occurrence_blind"
            ),
        ]

    def __str__(self) -> str:
        return str(self.identity)

    @property
    def identity(self) -> Identity:
        """The identity in the contract's form; reads source and schedule."""
        return Identity(source=self.source.name, schedule_key=self.schedule.key, due_at=self.due_at)
