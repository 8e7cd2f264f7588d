"""Claim-age policies: the list, and a new version."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from occurrences.contract.errors import ContractError
from occurrences.contract.permissions import Forbidden, check_can_publish_policy
from occurrences.contract.policies import SCOPES
from occurrences.forms import PolicyForm
from occurrences.queries.clock import database_now
from occurrences.queries.pages.policies import MEANINGS, policies_page, starting_point
from occurrences.queries.people import person_of
from occurrences.services.policies import PublishedMeanwhile, publish
from occurrences.views.doors import SeeOther, person_in, signed_in

LIST = "/policies/"


@require_safe
@signed_in
def list_policies(request: HttpRequest) -> HttpResponse:
    """Every scope with its versions; the most specific scope wins, in it the newest version in force."""
    page = policies_page(person=person_of(request.user), now=database_now())
    return render(request, "policy/list.html", {"page": page})


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new_version(request: HttpRequest) -> HttpResponse:
    """The form of a new version, filled with what is in force; POST publishes it."""
    check_can_publish_policy(person_of(request.user))
    now = database_now()
    if request.method != "POST":
        return _show(request, PolicyForm(initial=_initial(request), now=now), 200)
    form = PolicyForm(request.POST, now=now)
    if not form.is_valid():
        return _show(request, form, 422)
    try:
        made = publish(**form.version(), by=person_in(request), now=now)
    except Forbidden:
        raise
    except PublishedMeanwhile as meanwhile:
        form.add_error(None, f"{meanwhile}.".capitalize())
        return _show(request, form, 409)
    except ContractError as bad:
        form.add_error(None, f"{bad}.".capitalize())
        return _show(request, form, 422)
    messages.success(request, f"Published: {made}.")
    return SeeOther(LIST)


def _initial(request: HttpRequest) -> dict[str, object]:
    scope, target = request.GET.get("scope", "all"), request.GET.get("target", "")
    scope = scope if scope in SCOPES else "all"
    seconds = starting_point(scope, target, now=database_now())
    return {"scope": scope, "target": target, "rejudge": True, **seconds}


def _show(request: HttpRequest, form: PolicyForm, status: int) -> HttpResponse:
    allowances = [(name, form[name], means) for name, means in MEANINGS.items()]
    context = {"form": form, "allowances": allowances, "scopes": SCOPES}
    return render(request, "policy/new.html", context, status=status)
