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
