"""Who may come in, and how an answer is kept from being shown again after they have left."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.vary import vary_on_headers

View = Callable[..., HttpResponse]


def signed_in(view: View) -> View:
    """Let only people in who are signed in.

    An island that polls gets 401 and an event instead of the sign-in page, which must not land inside a list.
    """
    guarded = login_required(view)

    @never_cache
    @vary_on_headers("HX-Request")
    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.headers.get("HX-Request") == "true" and not request.user.is_authenticated:
            return HttpResponse(status=401, headers={"HX-Trigger": "aglet:signed-out"})
        return guarded(request, *args, **kwargs)

    return door
