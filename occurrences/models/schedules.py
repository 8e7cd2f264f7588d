from django.db import models
from django.db.models import Q

from occurrences.models.fields import EPOCH, in_order, one_of, times_within
from occurrences.models.sources import Source
from occurrences.models.teams import Team

EFFECT_CLASSES = ["keyed", "repeatable", "cumulative", "once", "unclassified"]


class Schedule(models.Model):
    """What should run, and when. Its rule is that of the revision in force."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="schedules")
    key = models.CharField(max_length=512)
    priority = models.PositiveSmallIntegerField(default=2)
    watches_failed = models.BooleanField(default=True)
    team = models.ForeignKey(Team, models.PROTECT, null=True, related_name="schedules")
    effect_class = models.CharField(max_length=16, default="unclassified")
    operators_may_decide = models.BooleanField(default=True)
    note = models.TextField(blank=True)
    first_seen_at = models.DateTimeField()
    planned_to = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "key"], name="schedule_once_per_source"),
            models.CheckConstraint(condition=Q(priority__gte=1, priority__lte=4), name="schedule_priority_range"),
            one_of("schedule", "effect_class", EFFECT_CLASSES),
            *times_within("schedule", "first_seen_at", "planned_to"),
        ]

    def __str__(self) -> str:
        return self.key


class ScheduleRevision(models.Model):
    """The rule of a schedule from an instant on. Never edited; the next one supersedes it."""

    schedule = models.ForeignKey(Schedule, models.PROTECT, related_name="revisions")
    valid_from = models.DateTimeField()
    rule = models.CharField(max_length=512)
    dialect = models.CharField(max_length=64)
    zone = models.CharField(max_length=64)
    anchor = models.DateTimeField(null=True)
    expires_after_seconds = models.FloatField(null=True)
    catch_up = models.CharField(max_length=16, default="none")
    enabled = models.BooleanField(default=True)
    target = models.JSONField(default=dict)
    definition_hash = models.CharField(max_length=64)
    refused_because = models.TextField(blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["schedule", "valid_from"], name="schedulerevision_one_per_instant"),
            models.CheckConstraint(
                condition=Q(expires_after_seconds__isnull=True) | Q(expires_after_seconds__gt=0),
                name="schedulerevision_expires_positive",
            ),
            *times_within("schedulerevision", "valid_from", "received_at"),
            *times_within("schedulerevision", "anchor", earliest=EPOCH),
        ]

    def __str__(self) -> str:
        return f"{self.rule} ({self.dialect})"


class Pause(models.Model):
    """Due times from `start` (inclusive) to `end` (exclusive) are suppressed."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="pauses")
    start = models.DateTimeField()
    end = models.DateTimeField(null=True)
    reason = models.CharField(max_length=500)
    by = models.CharField(max_length=150)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source"], condition=Q(end__isnull=True), name="pause_one_open_per_source"),
            in_order("pause", "start", "end"),
            *times_within("pause", "start", "end"),
        ]

    def __str__(self) -> str:
        return self.reason
