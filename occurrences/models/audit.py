from django.db import models

from occurrences.models.fields import times_within


class AuditEntry(models.Model):
    """One act of a person or of a setting. No foreign keys: it outlives what it describes.

    `digest` covers the row and `previous`, the digest of the row before it. `role` is the actor's at that moment;
    rows older than this column have none.
    """

    at = models.DateTimeField()
    by = models.CharField(max_length=150)
    role = models.CharField(max_length=16, null=True)  # noqa: DJ001  null and empty are digested differently
    act = models.CharField(max_length=64)
    subject = models.TextField()
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    detail = models.JSONField(default=dict)
    request_id = models.CharField(max_length=32, blank=True, default="")
    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["previous"], name="audit_chain_never_forks"),
            *times_within("audit", "at"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"
