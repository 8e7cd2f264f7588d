from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from occurrences.models.fields import HANDOFFS, one_of, times_within
from occurrences.models.occurrences import Occurrence
from occurrences.models.sources import Source


class HandoffRecord(models.Model):
    """Evidence that one handoff happened. Append-only; partitioned by month of the occurrence key.

    The table is made by hand in a migration, because Django cannot declare partitions.
    """

    pk = models.CompositePrimaryKey("occurrence_id", "handoff", "record_key")
    occurrence = models.ForeignKey(Occurrence, models.PROTECT, related_name="records", db_index=False)
    handoff = models.PositiveSmallIntegerField(choices=HANDOFFS)
    record_key = models.BinaryField(max_length=16)
    source = models.ForeignKey(Source, models.PROTECT, related_name="+", db_index=False)
    record_id = models.TextField()
    body_digest = models.BinaryField(max_length=32)
    run_ref = models.TextField(null=True)  # noqa: DJ001  a tick has none
    outcome = models.TextField(null=True)  # noqa: DJ001  not every sender says
    delivery = models.PositiveIntegerField(default=1)
    recovery_number = models.PositiveIntegerField(default=0)
    recovery_id = models.UUIDField(null=True)
    observed_at = models.DateTimeField()
    received_at = models.DateTimeField()
    body = models.JSONField()

    def __str__(self) -> str:
        return self.record_id


class Run(models.Model):
    """A native run or message id of a source, with the one occurrence that is its home."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="+", db_index=False)
    run_ref = models.TextField()
    home = models.ForeignKey(Occurrence, models.PROTECT, null=True, related_name="runs")
    home_rank = models.PositiveSmallIntegerField(null=True)
    others = ArrayField(models.UUIDField(), default=list)
    claimant_name = models.TextField(null=True)  # noqa: DJ001  null until claimed
    claimant_host = models.TextField(null=True)  # noqa: DJ001
    claimant_pid = models.IntegerField(null=True)
    claimed_at = models.DateTimeField(null=True)
    claimants = ArrayField(models.TextField(), default=list)
    claims = models.PositiveIntegerField(default=0)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "run_ref"], name="run_once_per_source"),
            *times_within("run", "claimed_at", "ended_at"),
        ]
        indexes = [
            models.Index(
                fields=["source", "claimant_name"],
                condition=Q(claimed_at__isnull=False) & (Q(ended_at__isnull=True) | Q(ended_at__lt=F("claimed_at"))),
                name="run_open_by_claimant",
            ),
            # a run that had more than one claimant: what became of the earlier ones still matters
            models.Index(fields=["source", "claimed_at"], condition=Q(claims__gt=1), name="run_of_several_claims"),
        ]

    def __str__(self) -> str:
        return self.run_ref


class Unlinked(models.Model):
    """A record whose run has no home yet; filed by the batch that gives it one."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="+", db_index=False)
    handoff = models.PositiveSmallIntegerField(choices=HANDOFFS)
    record_id = models.TextField()
    run_ref = models.TextField()
    body = models.JSONField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "handoff", "record_id"], name="unlinked_once"),
            one_of("unlinked", "handoff", [h for h, _ in HANDOFFS]),
            *times_within("unlinked", "received_at"),
        ]
        indexes = [models.Index(fields=["source", "run_ref"], name="unlinked_run")]

    def __str__(self) -> str:
        return self.record_id


class Discrepancy(models.Model):
    """The same key with another body, or a run that names two occurrences. The first stays."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="+", db_index=False)
    handoff = models.PositiveSmallIntegerField(choices=HANDOFFS)
    record_id = models.TextField()
    body_digest = models.BinaryField(max_length=32)
    occurrence = models.ForeignKey(Occurrence, models.PROTECT, null=True, related_name="discrepancies")
    reason = models.TextField()
    body = models.JSONField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "handoff", "record_id", "body_digest"], name="discrepancy_once"),
            *times_within("discrepancy", "received_at"),
        ]

    def __str__(self) -> str:
        return self.reason


class Quarantine(models.Model):
    """A well-formed record that cannot be placed, with its reason."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="+", db_index=False)
    body_digest = models.BinaryField(max_length=32)
    reason = models.TextField()
    body = models.JSONField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "body_digest"], name="quarantine_once"),
            *times_within("quarantine", "received_at"),
        ]

    def __str__(self) -> str:
        return self.reason
