"""The list of schedules."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from occurrences.queries.clock import database_now
from occurrences.queries.pages.listing import source_names
from occurrences.queries.pages.schedules import all_schedules, schedule_rows
from occurrences.views.doors import signed_in

ON_A_PAGE = 100


@require_safe
@signed_in
def list_schedules(request: HttpRequest) -> HttpResponse:
    """What should run and when, and whether we watch it."""
    source = request.GET.get("source", "").strip()
    cut = Paginator(all_schedules(source), ON_A_PAGE).get_page(request.GET.get("page"))
    now = database_now()
    rows = schedule_rows(list(cut.object_list), now=now)
    context = {"rows": rows, "cut": cut, "source": source, "sources": source_names(), "now": now}
    return render(request, "schedule/list.html", context)
