"""The list of schedules, and one of them."""

from django import forms as django_forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from occurrences.contract.permissions import Forbidden
from occurrences.forms import RecoveryForm, TeamForm
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of_schedule
from occurrences.queries.pages.listing import source_names
from occurrences.queries.pages.schedule import SchedulePage, find_schedule, schedule_page
from occurrences.queries.pages.schedules import all_schedules, schedule_rows
from occurrences.queries.people import person_of
from occurrences.services import teams
from occurrences.views.doors import SeeOther, person_in, signed_in

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


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def schedule(request: HttpRequest, source: str, schedule_key: str) -> HttpResponse:
    """One schedule; POST says who owns it, or what a second run of it would do."""
    found = None if "\0" in schedule_key else find_schedule(source, schedule_key)
    if found is None:
        raise Http404(f"There is no schedule {source}/{schedule_key}.")
    page = schedule_page(found, now=database_now(), person=person_of(request.user))
    if request.method != "POST":
        return render(request, "schedule/detail.html", {"page": page})
    form = _change(request, page)
    if form.is_valid():
        messages.success(request, "Recorded.")
        return SeeOther(address_of_schedule(source, schedule_key))
    return render(request, "schedule/detail.html", {"page": page, "form": form}, status=422)


def _change(request: HttpRequest, page: SchedulePage) -> django_forms.Form:
    """Do what the form says where it is a good one; a refusal of the rules comes before what was typed."""
    of_team = request.POST.get("do") == "team"
    if sentence := page.team_refused if of_team else page.recovery_refused:
        raise Forbidden(sentence)
    form = TeamForm(request.POST) if of_team else RecoveryForm(request.POST)
    if form.is_valid():
        act = teams.set_team if of_team else teams.set_recovery
        act(schedule=page.schedule.pk, **form.cleaned_data, by=person_in(request), now=page.now)
    return form
