from django.db import models
from django.db.models import Q

from occurrences.models.fields import both_or_neither, in_order, times_within


class Source(models.Model):
    """One scheduler path: a scheduler, its queue adapter and its workers."""

    name = models.CharField(max_length=200, unique=True)
    capabilities = models.JSONField(default=dict)
    grain = models.CharField(max_length=1, default="s")
    coverage_provable = models.BooleanField(default=True)
    give_up_seconds = models.PositiveIntegerField(default=1800)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(name__regex=r"^[a-z0-9][a-z0-9:._-]*$"), name="source_name_form"),
            models.CheckConstraint(condition=Q(grain__in=["s", "m"]), name="source_grain_known"),
            *times_within("source", "created_at"),
        ]

    def __str__(self) -> str:
        return self.name


class SourceKey(models.Model):
    """A bearer key of a source. Only the SHA-256 of the key is stored."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="keys")
    digest = models.CharField(max_length=64, unique=True)
    prefix = models.CharField(max_length=8)
    made_by = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.CharField(max_length=150, null=True)  # noqa: DJ001  null with revoked_at

    class Meta:
        constraints = [
            *times_within("sourcekey", "created_at", "expires_at", "revoked_at"),
            both_or_neither("sourcekey", "revoked_at", "revoked_by"),
            in_order("sourcekey", "created_at", "revoked_at"),
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… of {self.source_id}"


class ClockSkew(models.Model):
    """A stretch of time in which a host's records were stamped ahead of their receipt; `ahead` is the most."""

    source = models.ForeignKey(Source, models.PROTECT, related_name="skews", db_index=False)
    host = models.TextField()
    ahead = models.DurationField()
    since = models.DateTimeField()
    last_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source", "host"], condition=Q(ended_at__isnull=True), name="clockskew_one_open_per_host"
            ),
            *times_within("clockskew", "since", "last_at", "ended_at"),
            in_order("clockskew", "since", "ended_at"),
        ]

    def __str__(self) -> str:
        return f"{self.host} {self.ahead} ahead"
