"""Health pages for machines."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from occurrences.queries import health

log = logging.getLogger("aglet.health")


@require_safe
def alive(request: HttpRequest) -> HttpResponse:
    """This process answers; nothing else is touched."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def ready(request: HttpRequest) -> HttpResponse:
    """Database, broker and migrations. A late detector is told, but does not make this fail."""
    checks = {
        "database": _passes(health.database_answers),
        "broker": _passes(health.broker_answers),
        "migrations": _passes(lambda: not health.migrations_pending()),
    }
    can_tell = checks["database"] and checks["migrations"]
    late = health.detector_lateness(timezone.now()) if can_tell else None
    age = health.detector_age(timezone.now()) if can_tell else None
    body = {
        "ready": all(checks.values()),
        **checks,
        "detector_late": late is not None,
        "detector_age_seconds": None if age is None else int(age.total_seconds()),
    }
    return JsonResponse(body, status=200 if body["ready"] else 503)


def _passes(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Exception:
        log.exception("health check failed")
        return False
