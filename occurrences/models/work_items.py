from django.conf import settings
from django.db import models
from django.db.models import Q

from occurrences.models.fields import HANDOFFS, VERDICTS, both_or_neither, in_order, one_of, times_within
from occurrences.models.occurrences import Occurrence
from occurrences.models.sources import Source


class WorkItem(models.Model):
    """The review: one or more absences with one likely cause. Open while `closed_at` is empty."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="work_items", db_index=False)
    verdict = models.CharField(max_length=32, choices=VERDICTS)
    first_absent = models.PositiveSmallIntegerField(choices=HANDOFFS, null=True)
    priority = models.PositiveSmallIntegerField(default=2)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="work_items")
    next_decision = models.CharField(max_length=500, blank=True)
    last_due_at = models.DateTimeField()
    snoozed_until = models.DateTimeField(null=True)
    snoozed_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closed_as = models.CharField(max_length=32, null=True)  # noqa: DJ001  null with closed_at
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(priority__gte=1, priority__lte=4), name="workitem_priority_range"),
            one_of("workitem", "verdict", [v for v, _ in VERDICTS]),
            both_or_neither("workitem", "closed_at", "closed_as"),
            in_order("workitem", "opened_at", "closed_at"),
            *times_within("workitem", "last_due_at", "opened_at", "closed_at", "changed_at"),
            *times_within("workitem", "snoozed_until", "snoozed_at"),
            both_or_neither("workitem", "snoozed_until", "snoozed_at"),
            in_order("workitem", "snoozed_at", "snoozed_until"),
        ]
        indexes = [
            models.Index(fields=["priority", "opened_at"], condition=Q(closed_at__isnull=True), name="workitem_open"),
            models.Index(
                fields=["source", "verdict", "first_absent", "last_due_at"],
                condition=Q(closed_at__isnull=True),
                name="workitem_fold",
            ),
        ]

    def __str__(self) -> str:
        return f"work item {self.pk}"


class WorkItemEntry(models.Model):
    """One line of the timeline: what a person wrote or the system did."""

    work_item = models.ForeignKey(WorkItem, models.PROTECT, related_name="entries")
    at = models.DateTimeField()
    by = models.CharField(max_length=150)
    kind = models.CharField(max_length=32)
    text = models.TextField()
    occurrence = models.ForeignKey(Occurrence, models.PROTECT, null=True, related_name="+", db_index=False)

    class Meta:
        constraints = [*times_within("workitementry", "at")]

    def __str__(self) -> str:
        return self.text
