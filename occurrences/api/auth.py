"""A bearer key speaks for one source."""

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from occurrences.queries.sources import source_of_key


class SourceBearer(HttpBearer):
    """Answer 401 unless the key is in force; the request then carries its source in `auth`."""

    def authenticate(self, request: HttpRequest, token: str) -> object | None:
        """Return the source of the key, or None."""
        return source_of_key(token, timezone.now())
