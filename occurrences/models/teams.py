from django.conf import settings
from django.db import models


class Team(models.Model):
    """People who own schedules and handoffs together."""

    name = models.CharField(max_length=150, unique=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="teams", blank=True)

    def __str__(self) -> str:
        return self.name
