from datetime import timedelta

from django.db import models

from occurrences.models.fields import in_order, times_within


class Sweep(models.Model):
    """One run of the watch at one `as_of`; the web process reads the newest to say whether it is late."""

    as_of = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    judged = models.PositiveIntegerField(default=0)
    opened = models.PositiveIntegerField(default=0)
    joined = models.PositiveIntegerField(default=0)
    closed = models.PositiveIntegerField(default=0)
    unjudged = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [*times_within("sweep", "as_of", "ended_at"), in_order("sweep", "as_of", "ended_at")]
        indexes = [models.Index(fields=["-ended_at"], name="sweep_newest")]

    def __str__(self) -> str:
        return f"sweep {self.as_of:%Y-%m-%dT%H:%M:%SZ}"


class SweepGap(models.Model):
    """A time in which the console itself did not look: from the last sweep before it to the first one after it."""

    start = models.DateTimeField()
    end = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["start"], name="sweepgap_once"),
            *times_within("sweepgap", "start", "end"),
            in_order("sweepgap", "start", "end"),
        ]

    def __str__(self) -> str:
        return f"{self.start:%Y-%m-%dT%H:%M:%SZ} to {self.end:%Y-%m-%dT%H:%M:%SZ}"

    @property
    def length(self) -> timedelta:
        """How long nobody looked."""
        return self.end - self.start
