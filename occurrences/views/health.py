"""Health pages for machines."""

import logging
from collections.abc import Callable
from datetime import timedelta

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
    late = health.detector_lateness(timezone.now()) if checks["database"] and checks["migrations"] else None
    seconds = None if late is None or late == timedelta.max else int(late.total_seconds())
    body = {
        "ready": all(checks.values()),
        **checks,
        "detector_late": late is not None,
        "detector_age_seconds": seconds,
    }
    return JsonResponse(body, status=200 if body["ready"] else 503)


def _passes(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except Exception:
        log.exception("health check failed")
        return False
