"""People to choose from."""

from django.contrib.auth.models import User
from django.db.models import QuerySet

from occurrences.contract.permissions import TRIAGES


def people_who_triage() -> QuerySet[User]:
    """Everybody who may own a work item, by name."""
    rows = User.objects.filter(is_active=True, groups__name__in=sorted(TRIAGES))
    return rows.distinct().order_by("username")
