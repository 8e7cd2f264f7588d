"""Deciding on an occurrence, once and on the evidence the person looked at; and the list of what was decided."""

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from occurrences.contract.occurrences import Identity
from occurrences.contract.permissions import Forbidden
from occurrences.forms import DecideForm
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.conflict import changes_since
from occurrences.queries.pages.decisions import CHOICES, STATES, Asked, decisions_page
from occurrences.queries.pages.occurrence import is_known
from occurrences.services.decisions import Blocked, Conflict, decide
from occurrences.views.doors import SeeOther, person_in, signed_in
from occurrences.views.occurrences import identity_at, no_such, page_for

LONGEST_NUMBER = 19  # digits; more than that no row can have


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def decide_occurrence(request: HttpRequest, source: str, schedule_key: str, due: str) -> HttpResponse:
    """Record what the form says, and show it on the page; the same form again gives the same answer."""
    identity = identity_at(source, schedule_key, due)
    if identity is None or not is_known(identity):
        return no_such(request, identity, f"{source}/{schedule_key}, {due}")
    if request.method != "POST":  # the address bar of a 409 leads back here
        return redirect(address_of(identity))
    form = DecideForm(request.POST)
    if not form.is_valid():
        return _once_more(request, identity, form)
    now, by = database_now(), person_in(request)
    try:
        decide(key=identity.key, **form.decision(), targets=settings.TARGETS, by=by, now=now)
    except Conflict:
        return _conflict(request, identity, form)
    except Blocked as blocked:
        for check in blocked.checks:
            form.add_error("choice", check.sentence)
        return _once_more(request, identity, form)
    return SeeOther(f"{address_of(identity)}#decided")


def _once_more(request: HttpRequest, identity: Identity, form: DecideForm) -> HttpResponse:
    """422: the page again with what was wrong, and every word kept."""
    shown = form.cleaned_data.get("evidence_rev")
    page = page_for(request, identity, shown=shown)
    if page is not None and page.desk.forbidden:
        raise Forbidden(page.desk.forbidden)
    if page is not None:
        page = replace(page, desk=replace(page.desk, **form.kept()))
    return render(request, "occurrence/detail.html", {"page": page, "form": form}, status=422)


def _conflict(request: HttpRequest, identity: Identity, form: DecideForm) -> HttpResponse:
    """409: nothing ran; what changed since the person looked, and the draft."""
    said = form.cleaned_data
    page = page_for(request, identity, shown=said["evidence_rev"])
    if page is None:
        return no_such(request, identity, str(identity))
    changes = changes_since(page, since=said["shown_at"], verdict=said["shown_verdict"])
    context = {"page": page, "changes": changes, "draft": said}
    return render(request, "occurrence/conflict.html", context, status=409)


@require_safe
@signed_in
def list_decisions(request: HttpRequest) -> HttpResponse:
    """Newest first; `before` is the number of the decision that the page before this one ended with."""
    before = request.GET.get("before", "")
    asked = Asked(
        choice=request.GET.get("choice", "").strip(),
        state=request.GET.get("state", "").strip(),
        before=int(before) if before.isdecimal() and len(before) < LONGEST_NUMBER else None,
    )
    page = decisions_page(asked, now=database_now())
    context = {"page": page, "choices": CHOICES.items(), "states": STATES.items()}
    return render(request, "decision/list.html", context)
