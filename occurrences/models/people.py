from django.conf import settings
from django.db import models

from occurrences.models.fields import in_order, times_within


class SignInLink(models.Model):
    """A link that signs one person in once. Only the SHA-256 of its token is stored."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="sign_in_links")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            in_order("signinlink", "created_at", "expires_at"),
            *times_within("signinlink", "created_at", "expires_at", "used_at"),
        ]

    def __str__(self) -> str:
        return f"sign-in link of {self.person_id}"
