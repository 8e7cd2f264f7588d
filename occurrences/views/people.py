"""Signing in and out, and one's own account."""

from typing import cast

from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from occurrences.queries.clock import database_now
from occurrences.services.people import set_password, use_link
from occurrences.views.doors import signed_in

BY_PASSWORD = "django.contrib.auth.backends.ModelBackend"  # noqa: S105  the name of a class


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters("password")
@never_cache
def sign_in(request: HttpRequest) -> HttpResponse:
    """One pair of fields. The page says nothing of what is behind it."""
    onward = _onward(request)
    if request.user.is_authenticated:
        return redirect(onward)
    form = AuthenticationForm(request, data=request.POST or None)
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        return redirect(onward)
    status = 422 if request.method == "POST" else 200
    return render(request, "account/sign_in.html", {"form": form, "next": onward}, status=status)


def _onward(request: HttpRequest) -> str:
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    here = {request.get_host()}
    safe = url_has_allowed_host_and_scheme(wanted, allowed_hosts=here, require_https=request.is_secure())
    return wanted if safe else "/"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the page spends nothing, so a mail scanner that follows links does no harm; the button does."""
    if request.method != "POST":
        return render(request, "account/sign_in_link.html", {"token": token})
    person = use_link(token=token, now=database_now())
    if person is None:
        return render(request, "account/link_spent.html", status=410)
    login(request, person, backend=BY_PASSWORD)
    if not person.has_usable_password():
        messages.info(request, "You are signed in. Set a password in your account to be able to come back.")
    return redirect("inbox")


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session of this browser."""
    logout(request)
    return redirect("sign-in")


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@signed_in
def account(request: HttpRequest) -> HttpResponse:
    """One's own name, roles and password."""
    person = cast(User, request.user)
    kind = PasswordChangeForm if person.has_usable_password() else SetPasswordForm
    form = kind(person, data=request.POST or None)
    if request.method == "POST" and form.is_valid():
        set_password(person=person, password=form.cleaned_data["new_password1"], by=person, now=database_now())
        update_session_auth_hash(request, person)  # or this session would end with the old password
        messages.success(request, "Your password is set.")
        return redirect("account")
    roles = list(person.groups.order_by("name").values_list("name", flat=True))
    status = 422 if request.method == "POST" else 200
    return render(request, "account/account.html", {"form": form, "roles": roles}, status=status)
