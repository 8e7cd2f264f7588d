"""The machine interface, version 1, with its OpenAPI document under /api/docs."""

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError

from occurrences.api.occurrences import router as occurrences
from occurrences.api.records import router as records

api = NinjaAPI(
    title="Aglet Recovery",
    version="1",
    description="Evidence of handoffs in, the path of an occurrence out.",
    urls_namespace="api",
)


@api.exception_handler(AuthenticationError)
def unauthenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    """401 in the form of every other problem."""
    body = {"error": "unauthorized", "reason": "the key is unknown, revoked or past its end"}
    return api.create_response(request, body, status=401)


api.add_router("/v1/", records)
api.add_router("/v1/", occurrences)
