"""GET one path by identity."""

from django.http import HttpRequest, JsonResponse
from ninja import Router
from ninja.security import django_auth

from occurrences.api import schemas
from occurrences.api.auth import SourceBearer
from occurrences.contract.errors import InvalidIdentity
from occurrences.contract.occurrences import Identity
from occurrences.queries.clock import database_now
from occurrences.queries.paths import as_document, path_of

router = Router(tags=["occurrences"])


@router.get(
    "path",
    auth=[SourceBearer(), django_auth],
    response={200: schemas.Path, 404: schemas.Problem, 422: schemas.Problem},
    summary="The path of one occurrence",
)
def get_path(request: HttpRequest, identity: str) -> JsonResponse:
    """The eight handoffs of the occurrence `source/schedule@due`, with verdict and first absent handoff.

    A key reads the occurrences of its own source; a person who is signed in reads all.
    """
    try:
        wanted = Identity.parse(identity)
    except InvalidIdentity as invalid:
        return JsonResponse({"error": "identity", "reason": str(invalid)}, status=422)
    speaks_for = getattr(request.auth, "name", None)  # type: ignore[attr-defined]
    path = path_of(wanted, as_of=database_now()) if speaks_for in (None, wanted.source) else None
    if path is None:
        return JsonResponse({"error": "not found", "reason": f"no occurrence {identity}"}, status=404)
    return JsonResponse(as_document(path))
