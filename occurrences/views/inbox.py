"""The inbox and its island."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from occurrences.contract.absences import OPENING
from occurrences.queries.clock import database_now
from occurrences.queries.pages.inbox import inbox
from occurrences.queries.pages.listing import Filters, source_names
from occurrences.views.doors import signed_in

CHOICES = [(verdict.value, verdict.words) for verdict, opens in OPENING.items() if opens]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The inbox is the home."""
    return redirect("inbox")


@require_safe
@signed_in
def show_inbox(request: HttpRequest) -> HttpResponse:
    """What needs a person now."""
    page = inbox(_filters(request), now=database_now())
    return render(request, "inbox/index.html", {"page": page, "verdicts": CHOICES, "sources": source_names()})


@require_safe
@signed_in
def poll_inbox(request: HttpRequest) -> HttpResponse:
    """The list again when it changed, else 204. Without htmx there is nothing to see here but the list."""
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("inbox")
    page = inbox(_filters(request), now=database_now(), rev=request.GET.get("rev", ""))
    return HttpResponse(status=204) if page is None else render(request, "inbox/_rows.html", {"page": page})


def _filters(request: HttpRequest) -> Filters:
    asked = {name: request.GET.get(name, "").strip() for name in ("verdict", "source", "owner")}
    return Filters(**asked, me=request.user.get_username())
