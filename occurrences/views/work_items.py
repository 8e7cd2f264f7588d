"""One work item, read only."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from occurrences.queries.clock import database_now
from occurrences.queries.pages.work_item import work_item_page
from occurrences.views.doors import signed_in


@require_safe
@signed_in
def show_work_item(request: HttpRequest, pk: int) -> HttpResponse:
    """The occurrences a work item holds, and what was done about them."""
    page = work_item_page(pk, now=database_now())
    if page is None:
        raise Http404(f"There is no work item {pk}.")
    return render(request, "work_item/detail.html", {"page": page})
