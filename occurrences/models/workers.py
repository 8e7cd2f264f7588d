from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from occurrences.models.fields import one_of, times_within
from occurrences.models.sources import Source


class Process(models.Model):
    """One life of a scheduler or worker process, with the spool it writes its evidence to.

    `up_to` and `seq_last` say how far that spool has been shipped; a closed spool holds nothing back.
    """

    source = models.ForeignKey(Source, models.PROTECT, related_name="processes")
    spool = models.TextField()
    role = models.CharField(max_length=16)
    name = models.TextField()
    host = models.TextField()
    pid = models.IntegerField()
    queues = ArrayField(models.TextField(), default=list)
    capacity = models.PositiveIntegerField(default=0)
    active = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    state = models.CharField(max_length=16)
    started_at = models.DateTimeField()
    last_seen = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    seq_last = models.BigIntegerField(default=0)
    missing = models.JSONField(default=list)
    up_to = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "spool"], name="process_one_per_spool"),
            one_of("process", "role", ["scheduler", "workers"]),
            one_of("process", "state", ["online", "offline", "lost", "retired"]),
            models.CheckConstraint(
                condition=Q(state="online", ended_at__isnull=True) | ~Q(state="online") & Q(ended_at__isnull=False),
                name="process_ended_at_with_state",
            ),
            *times_within("process", "started_at", "last_seen", "ended_at", "up_to"),
        ]

    def __str__(self) -> str:
        return f"{self.name} (pid {self.pid})"
