"""One log line per request, and a content security policy without inline code."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest

from occurrences.services.audit import REQUEST_ID

log = logging.getLogger("aglet.request")
# The token of a sign-in link lets its reader in until it is spent.
SECRET_PATH = re.compile(r"^(/sign-in/).+")
Next = Callable[[HttpRequest], HttpResponse]

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"


class RequestLog:
    """Give each request an id, answer with it, and write one line when it is done."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request_id = uuid.uuid4().hex
        request.META["AGLET_REQUEST_ID"] = request_id
        began = time.monotonic()
        token = REQUEST_ID.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            REQUEST_ID.reset(token)
        response["X-Request-ID"] = request_id
        took = (time.monotonic() - began) * 1000
        # repr: a line break in an address must not forge a second line
        path = SECRET_PATH.sub(r"\1…", request.path)
        log.info("%s %r %s %.0f ms id=%s", request.method, path, response.status_code, took, request_id)
        return response


class NoNul:
    """Refuse an address with a NUL in its query: PostgreSQL holds none, so no filter can mean one."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", ""):
            return HttpResponseBadRequest("an address holds no NUL\n", content_type="text/plain")
        return self.get_response(request)


class ContentSecurityPolicy:
    """Send the policy with every answer, error pages included."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response
