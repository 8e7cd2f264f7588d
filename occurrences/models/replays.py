from django.db import models
from django.db.models import Q

from occurrences.models.decisions import Decision
from occurrences.models.fields import both_or_neither, in_order, one_of, times_within
from occurrences.models.occurrences import Occurrence


class Replay(models.Model):
    """The new run of an occurrence, and its way to the target: this row is the outbox.

    Unsent while `published_at` is empty; live while `closed_at` is. `recovery_number` counts replays of the
    occurrence from 1; the id is computed from identity and number, so a repetition arrives at the same row.
    """

    recovery_id = models.UUIDField(primary_key=True)
    occurrence = models.ForeignKey(Occurrence, models.PROTECT, related_name="replays")
    decision = models.OneToOneField(Decision, models.PROTECT, related_name="replay")
    recovery_number = models.PositiveIntegerField()
    target = models.JSONField()
    not_after = models.DateTimeField()
    created_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True)
    probed_at = models.DateTimeField(null=True)
    published_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    closed_as = models.CharField(max_length=16, null=True)  # noqa: DJ001  null with closed_at
    original_then = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["occurrence", "recovery_number"], name="replay_numbers_of_an_occurrence"),
            models.UniqueConstraint(
                fields=["occurrence"], condition=Q(closed_at__isnull=True), name="replay_one_live_per_occurrence"
            ),
            one_of("replay", "closed_as", ["verified", "failed", "mismatch", "double-run", "unverified", "refused"]),
            both_or_neither("replay", "closed_at", "closed_as"),
            in_order("replay", "created_at", "published_at"),
            in_order("replay", "created_at", "closed_at"),
            *times_within("replay", "not_after", "created_at", "tried_at", "probed_at", "published_at", "closed_at"),
        ]
        indexes = [
            models.Index(fields=["created_at"], condition=Q(published_at=None, closed_at=None), name="replay_unsent"),
            models.Index(fields=["created_at"], condition=Q(closed_at__isnull=True), name="replay_live"),
        ]

    def __str__(self) -> str:
        return f"recovery {self.recovery_number} of {self.occurrence_id}"


class Readback(models.Model):
    """What the target's own evidence said of a replay (RB1) or of the original (RB2), once it was read."""

    replay = models.ForeignKey(Replay, models.PROTECT, related_name="readbacks")
    part = models.CharField(max_length=3)
    read_at = models.DateTimeField()
    result = models.CharField(max_length=16)
    found = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["replay", "part", "result"], name="readback_once_per_result"),
            one_of("readback", "part", ["RB1", "RB2"]),
            one_of("readback", "result", ["equal", "mismatch", "clean", "double-run", "missing"]),
            *times_within("readback", "read_at"),
        ]

    def __str__(self) -> str:
        return f"{self.part} {self.result}"
