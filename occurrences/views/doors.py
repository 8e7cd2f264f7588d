"""Who may come in, how a refusal is told, and how an answer is kept from being shown again after they have left."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.vary import vary_on_headers

from occurrences.contract.permissions import Forbidden

View = Callable[..., HttpResponse]


class SeeOther(HttpResponseRedirect):
    """The answer to a form that was taken: look there, with GET. Loading that page again sends nothing again."""

    status_code = 303


def signed_in(view: View) -> View:
    """Let only people in who are signed in, and tell a refusal of the rules as 403 in its own words.

    An island that polls gets 401 and an event instead of the sign-in page, which must not land inside a list.
    """
    guarded = login_required(view)

    @never_cache
    @vary_on_headers("HX-Request")
    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.headers.get("HX-Request") == "true" and not request.user.is_authenticated:
            return HttpResponse(status=401, headers={"HX-Trigger": "aglet:signed-out"})
        try:
            return guarded(request, *args, **kwargs)
        except Forbidden as forbidden:
            return refused(request, str(forbidden))

    return door


def refused(request: HttpRequest, sentence: str) -> HttpResponse:
    """403: what was refused and who can, with the way back."""
    back = onward(request, request.path if request.method == "GET" else "/inbox/")
    return render(request, "403.html", {"sentence": sentence, "back": back}, status=403)


def onward(request: HttpRequest, default: str) -> str:
    """Where the form wants to go next, if that lies in this console."""
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else default


def person_in(request: HttpRequest) -> User:
    """The person who is signed in; behind `signed_in` there is one."""
    return cast(User, request.user)
