from django.db import models
from django.db.models import Q

from occurrences.models.fields import one_of, times_within

SECONDS = ["tick", "enqueue", "ready", "claim", "start", "run", "readback", "fold"]


class ClaimAgePolicy(models.Model):
    """One immutable version of the allowances of a scope, all of them in seconds."""

    scope = models.CharField(max_length=16)
    target = models.TextField(blank=True)
    version = models.PositiveIntegerField()
    tick = models.FloatField()
    enqueue = models.FloatField()
    ready = models.FloatField()
    claim = models.FloatField()
    start = models.FloatField()
    run = models.FloatField()
    readback = models.FloatField()
    fold = models.FloatField()
    expires = models.FloatField(null=True)
    effective_from = models.DateTimeField()
    author = models.CharField(max_length=150)
    reason = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope", "target", "version"], name="policy_version_once"),
            one_of("policy", "scope", ["all", "source", "queue", "schedule"]),
            models.CheckConstraint(
                condition=Q(scope="all", target="") | (~Q(scope="all") & ~Q(target="")),
                name="policy_target_with_scope",
            ),
            *[
                models.CheckConstraint(
                    condition=Q(**{f"{f}__gte": 0, f"{f}__lte": 31_536_000}), name=f"policy_{f}_range"
                )
                for f in SECONDS
            ],
            models.CheckConstraint(
                condition=Q(expires__isnull=True) | Q(expires__gt=0), name="policy_expires_positive"
            ),
            *times_within("policy", "effective_from", "created_at"),
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.target} version {self.version}".replace("  ", " ")
