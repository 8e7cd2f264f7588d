"""The sources, one of them, and what was kept aside of its records."""

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from occurrences.queries.clock import database_now
from occurrences.queries.pages.evidence import evidence_page
from occurrences.queries.pages.sources import LATELY, all_sources, source_page, source_rows
from occurrences.queries.sweeps import sweep_gaps
from occurrences.views.doors import signed_in

ON_A_PAGE = 50


@require_safe
@signed_in
def list_sources(request: HttpRequest) -> HttpResponse:
    """How far the evidence of each source is complete, and what needs a look."""
    cut = Paginator(all_sources(), ON_A_PAGE).get_page(request.GET.get("page"))
    now = database_now()
    rows = source_rows(list(cut.object_list), now=now)
    return render(request, "source/list.html", {"rows": rows, "cut": cut, "own_gaps": sweep_gaps(now - LATELY)})


@require_safe
@signed_in
def show_source(request: HttpRequest, source: str) -> HttpResponse:
    """What one source can show, how far it has shown it, and who is there."""
    page = source_page(source, now=database_now())
    if page is None:
        raise Http404(f"There is no source {source}.")
    return render(request, "source/detail.html", {"page": page})


@require_safe
@signed_in
def show_evidence(request: HttpRequest, source: str) -> HttpResponse:
    """What the source sent and could not be taken as it came."""
    kind, number = request.GET.get("kind", ""), request.GET.get("page")
    page = evidence_page(source, kind=kind, number=number, now=database_now())
    if page is None:
        raise Http404(f"There is no source {source}.")
    return render(request, "source/evidence.html", {"page": page})
