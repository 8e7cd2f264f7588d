"""The page of one occurrence, its island, and its path for machines."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from occurrences.contract.errors import InvalidIdentity
from occurrences.contract.occurrences import Identity
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of
from occurrences.queries.pages.occurrence import Page, nearest, page_of, revision_of
from occurrences.queries.paths import as_document
from occurrences.queries.people import person_of
from occurrences.views.doors import signed_in


@require_safe
@signed_in
def show_occurrence(request: HttpRequest, source: str, schedule_key: str, due: str) -> HttpResponse:
    """One occurrence from due to terminal; `?format=json` gives the path as the API does."""
    identity = identity_at(source, schedule_key, due)
    page = None if identity is None else page_for(request, identity)
    if page is None:
        return no_such(request, identity, f"{source}/{schedule_key}, {due}")
    if request.GET.get("format") == "json":
        return JsonResponse(as_document(page.path))
    return render(request, "occurrence/detail.html", {"page": page})


@require_safe
@signed_in
def poll_occurrence(request: HttpRequest, source: str, schedule_key: str, due: str) -> HttpResponse:
    """The page's live parts again when its evidence changed, else 204. The form on the page is none of them."""
    identity = identity_at(source, schedule_key, due)
    found = None if identity is None else revision_of(identity, now=database_now())
    if identity is None or found is None:
        return HttpResponse(status=404)
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect(address_of(identity))
    if request.GET.get("rev") == found:
        return HttpResponse(status=204)
    shown = request.GET.get("shown", "")
    page = page_for(request, identity, shown=int(shown) if shown.isdecimal() else None)
    return render(request, "occurrence/_live.html", {"page": page})


def page_for(request: HttpRequest, identity: Identity, *, shown: int | None = None) -> Page | None:
    """The page as this person sees it now."""
    return page_of(identity, now=database_now(), person=person_of(request.user), shown=shown)


def identity_at(source: str, schedule_key: str, due: str) -> Identity | None:
    """The identity of an address; None when its parts make none."""
    try:
        return Identity.from_address(source=source, schedule_key=schedule_key, compact=due)
    except InvalidIdentity:
        return None


def no_such(request: HttpRequest, identity: Identity | None, asked: str) -> HttpResponse:
    """404 with the nearest due times: a local time in place of UTC is the usual reason."""
    rows = [] if identity is None else [(o, address_of(o.identity)) for o in nearest(identity)]
    return render(request, "occurrence/unknown.html", {"identity": identity, "asked": asked, "near": rows}, status=404)
