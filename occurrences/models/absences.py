from django.db import models
from django.db.models import Q

from occurrences.models.fields import HANDOFFS, VERDICTS, both_or_neither, in_order, one_of, times_within
from occurrences.models.occurrences import Occurrence
from occurrences.models.policies import ClaimAgePolicy
from occurrences.models.sources import Source
from occurrences.models.work_items import WorkItem


class Absence(models.Model):
    """Something missing. Its subject is an occurrence, or a source: one that could not be seen, or a clock of its.

    `gap_from` is where a gap in the coverage of a source begins, `clock_host` whose clock runs ahead.
    """

    source = models.ForeignKey(Source, models.PROTECT, related_name="+", db_index=False)
    occurrence = models.ForeignKey(Occurrence, models.PROTECT, null=True, related_name="absences")
    work_item = models.ForeignKey(WorkItem, models.PROTECT, related_name="absences")
    verdict = models.CharField(max_length=32, choices=VERDICTS)
    first_absent = models.PositiveSmallIntegerField(choices=HANDOFFS, null=True)
    expected_by = models.DateTimeField(null=True)
    gap_from = models.DateTimeField(null=True)
    clock_host = models.TextField(null=True)  # noqa: DJ001  null unless it is about a clock
    policy_raised = models.ForeignKey(ClaimAgePolicy, models.PROTECT, null=True, related_name="+", db_index=False)
    policy_closed = models.ForeignKey(ClaimAgePolicy, models.PROTECT, null=True, related_name="+", db_index=False)
    raised_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closed_as = models.CharField(max_length=32, null=True)  # noqa: DJ001  null with closed_at

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["occurrence"],
                condition=Q(closed_at__isnull=True, occurrence__isnull=False),
                name="absence_one_open_per_occurrence",
            ),
            models.UniqueConstraint(
                fields=["source", "gap_from"],
                condition=Q(closed_at__isnull=True, occurrence__isnull=True),
                name="absence_one_open_per_gap",
            ),
            models.UniqueConstraint(
                fields=["source", "clock_host"],
                condition=Q(closed_at__isnull=True, clock_host__isnull=False),
                name="absence_one_open_per_clock",
            ),
            models.CheckConstraint(
                condition=Q(occurrence__isnull=False, gap_from__isnull=True, clock_host__isnull=True)
                | Q(occurrence__isnull=True, gap_from__isnull=False, clock_host__isnull=True)
                | Q(occurrence__isnull=True, gap_from__isnull=True, clock_host__isnull=False),
                name="absence_has_one_subject",
            ),
            one_of("absence", "verdict", [v for v, _ in VERDICTS]),
            both_or_neither("absence", "closed_at", "closed_as"),
            in_order("absence", "raised_at", "closed_at"),
            *times_within("absence", "expected_by", "gap_from", "raised_at", "closed_at"),
        ]

    def __str__(self) -> str:
        return self.verdict
