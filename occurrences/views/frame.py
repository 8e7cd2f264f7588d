"""What every page has: the theme, and whether the detector is late."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from occurrences.queries.pages.banner import detector

THEMES = ("auto", "light", "dark")
COOKIE = "aglet_theme"
A_YEAR = 365 * 24 * 60 * 60


def frame(request: HttpRequest) -> dict[str, Any]:
    """Context of every page. The web process itself asks after the detector: a dead beat cannot."""
    theme = request.COOKIES.get(COOKIE, "auto")
    now = timezone.now()
    return {
        "theme": theme if theme in THEMES else "auto",
        "themes": THEMES,
        "server_now": now,
        "watch": SimpleLazyObject(lambda: detector(now)),
    }


def server_error(request: HttpRequest) -> HttpResponse:
    """The last page there is: no query, no session, only the id under which the log knows more."""
    page = render_to_string("500.html", {"request_id": request.META.get("AGLET_REQUEST_ID")})
    return HttpResponse(page, status=500)


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Remember light, dark or auto in this browser."""
    back = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    response = redirect(back if safe else "inbox")
    theme = request.POST.get("theme")
    if theme in THEMES:
        response.set_cookie(COOKIE, theme, max_age=A_YEAR, httponly=True, samesite="Lax", secure=request.is_secure())
    return response
