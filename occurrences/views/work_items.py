"""One work item, and what a person does with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from occurrences import forms
from occurrences.contract.permissions import check_can_triage
from occurrences.queries.clock import database_now
from occurrences.queries.pages.work_item import WorkItemPage, work_item_page, work_item_revision
from occurrences.queries.people import person_of
from occurrences.services import work_items
from occurrences.services.work_items.triage import BadInput
from occurrences.views.doors import SeeOther, onward, person_in, signed_in


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do with a work item: the form that asks for it and the service that does it."""

    form: type[forms.Act]
    run: Callable[..., object]


ACTS: Mapping[str, Act] = {
    "assign": Act(forms.AssignForm, work_items.assign),
    "priority": Act(forms.PriorityForm, work_items.set_priority),
    "next-decision": Act(forms.NextDecisionForm, work_items.set_next_decision),
    "comment": Act(forms.CommentForm, work_items.comment),
    "snooze": Act(forms.SnoozeForm, work_items.snooze),
    "wake": Act(forms.WakeForm, work_items.wake),
    "close": Act(forms.ReasonForm, work_items.close),
    "reopen": Act(forms.ReasonForm, work_items.reopen),
}


@require_safe
@signed_in
def show_work_item(request: HttpRequest, pk: int) -> HttpResponse:
    """The occurrences a work item holds, what was done about them, and what can be done."""
    return render(request, "work_item/detail.html", {"page": _page(request, pk)})


@require_safe
@signed_in
def poll_work_item(request: HttpRequest, pk: int) -> HttpResponse:
    """The live parts again when something changed, else 204. The forms are none of them."""
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect("work-item", pk)
    if request.GET.get("rev", "") == work_item_revision(pk):
        return HttpResponse(status=204)
    return render(request, "work_item/_live.html", {"page": _page(request, pk)})


@require_POST
@signed_in
def act_on_work_item(request: HttpRequest, pk: int, act: str) -> HttpResponse:
    """Do one thing and show what came of it."""
    check_can_triage(person_of(request.user))
    now = database_now()
    form = ACTS[act].form(request.POST, now=now)
    if form.is_valid():
        try:
            ACTS[act].run(pk=pk, **form.cleaned_data, by=person_in(request), now=now)
        except ObjectDoesNotExist:
            raise Http404(f"There is no work item {pk}.") from None
        except BadInput as bad:
            form.add_error(None, f"{str(bad).capitalize()}.")
    return _done(request, pk, act) if form.is_valid() else _once_more(request, pk, act, form)


def _done(request: HttpRequest, pk: int, act: str) -> HttpResponse:
    page = _page(request, pk)
    said = page.entries[-1] if page.entries else None
    words = f"{said.kind.capitalize()}: {said.text}" if said else "Done"
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "work_item/_acted.html", {"page": page, "act": act, "result": words})
    messages.success(request, words)
    return SeeOther(onward(request, reverse("work-item", args=[pk])))


def _once_more(request: HttpRequest, pk: int, act: str, form: forms.Act) -> HttpResponse:
    context: dict[str, Any] = {"page": _page(request, pk), "form": form, "act": act}
    part = request.htmx  # type: ignore[attr-defined]
    return render(request, "work_item/_acted.html" if part else "work_item/detail.html", context, status=422)


def _page(request: HttpRequest, pk: int) -> WorkItemPage:
    page = work_item_page(pk, now=database_now(), person=person_of(request.user))
    if page is None:
        raise Http404(f"There is no work item {pk}.")
    return page
