from django.conf import settings
from django.db import models
from django.db.models import Q

from occurrences.models.fields import one_of, times_within
from occurrences.models.occurrences import Occurrence


class Decision(models.Model):
    """Replay or skip for one occurrence: by whom, why, and on which evidence. Append-only.

    `decision_key` is the one-time key of the form: a second submission finds the first one's row.
    """

    occurrence = models.ForeignKey(Occurrence, models.PROTECT, related_name="decisions")
    decision_key = models.UUIDField(unique=True)
    number = models.PositiveIntegerField()
    choice = models.CharField(max_length=16)
    reason = models.TextField()
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="decisions")
    role = models.CharField(max_length=16)
    decided_at = models.DateTimeField()
    evidence_revision = models.PositiveIntegerField()
    verdict = models.CharField(max_length=32)
    checks = models.JSONField()
    snapshot = models.JSONField()

    class Meta:
        constraints = [
            # Two decisions cannot both be the nth of an occurrence: of two at once one is refused.
            models.UniqueConstraint(fields=["occurrence", "number"], name="decision_numbers_of_an_occurrence"),
            one_of("decision", "choice", ["replay", "skip"]),
            models.CheckConstraint(condition=~Q(reason=""), name="decision_has_a_reason"),
            models.CheckConstraint(condition=Q(number__gte=1), name="decision_number_from_one"),
            *times_within("decision", "decided_at"),
        ]

    def __str__(self) -> str:
        return f"{self.choice} of {self.occurrence_id}"
