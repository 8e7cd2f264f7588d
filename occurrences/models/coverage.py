from django.db import models
from django.db.models import Q

from occurrences.models.fields import ROLES, in_order, one_of, times_within
from occurrences.models.sources import Source


class Coverage(models.Model):
    """How far the evidence of one role of a source is known to be complete. Made with the source.

    `holes` are pairs of times between which numbers of a spool are missing and have not come since.
    """

    source = models.ForeignKey(Source, models.PROTECT, related_name="coverages", db_index=False)
    role = models.CharField(max_length=16, choices=ROLES)
    up_to = models.DateTimeField(null=True)
    to_now = models.BooleanField(default=False)
    holes = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "role"], name="coverage_one_per_role"),
            one_of("coverage", "role", [r for r, _ in ROLES]),
            models.CheckConstraint(condition=~Q(role="clock") | Q(to_now=True), name="coverage_clock_to_now"),
            *times_within("coverage", "up_to"),
        ]

    def __str__(self) -> str:
        return self.role


class CoverageStretch(models.Model):
    """A stretch of time in which the evidence of a role is complete; the newest one grows."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="stretches", db_index=False)
    role = models.CharField(max_length=16, choices=ROLES)
    start = models.DateTimeField()
    end = models.DateTimeField()
    known_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "role", "start"], name="coveragestretch_once"),
            one_of("coveragestretch", "role", [r for r, _ in ROLES]),
            in_order("coveragestretch", "start", "end"),
            *times_within("coveragestretch", "start", "end", "known_at"),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.start:%Y-%m-%dT%H:%M:%SZ}"
