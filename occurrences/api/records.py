"""POST /api/v1/records: evidence in."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from occurrences.api import bodies, schemas
from occurrences.api.auth import SourceBearer
from occurrences.contract.errors import Refused
from occurrences.queries.clock import database_now
from occurrences.services.handoffs import Busy, Counts, Item, record_batch
from occurrences.services.handoffs.items import parse

router = Router(tags=["records"])


@router.post(
    "records",
    auth=SourceBearer(),
    response={200: schemas.Counts, 413: schemas.Problem, 422: schemas.Counts, 503: schemas.Problem},
    openapi_extra=schemas.RECORDS_BODY,
    summary="Record evidence",
)
def post_records(request: HttpRequest) -> JsonResponse:
    """Take 1 to 1,000 records as a JSON list or as lines of JSON (application/x-ndjson).

    The good part of a request is kept. 200 when anything was stored or was already there, 422 when
    everything was refused; the body of both is the count of what became of the records.
    """
    source = request.auth  # type: ignore[attr-defined]  # set by ninja from SourceBearer
    if not source.enabled:
        return _problem(403, "source disabled", "this source is switched off")
    try:
        values = bodies.records(bodies.read(request), ndjson=_is_ndjson(request))
    except bodies.TooLarge as too_large:
        return _problem(413, "too large", str(too_large))
    except Refused as refused:
        return _problem(422, refused.field, refused.reason)
    if not values:
        return _problem(422, "body", "no record in the request")
    counts = Counts()
    items = _parse(values, source.name, counts)
    try:
        counts = record_batch(
            source=source,
            items=items,
            counts=counts,
            plan_ahead=timedelta(seconds=settings.PLAN_AHEAD_SECONDS),
            by=source.name,
            now=database_now(),
        )
    except Busy:
        return _problem(503, "busy", "locks could not be had, nothing was stored; send it again")
    return JsonResponse(counts.as_dict(), status=200 if counts.stored_any else 422)


def _parse(values: list[tuple[object, Refused | None]], source: str, counts: Counts) -> list[Item]:
    items = []
    for index, (value, refused) in enumerate(values):
        try:
            if refused is not None:
                raise refused
            items.append(parse(index, value, source=source))
        except Refused as why:
            counts.refuse(index, why)
    return items


def _is_ndjson(request: HttpRequest) -> bool:
    return (request.content_type or "").lower() in ("application/x-ndjson", "application/jsonl")


def _problem(status: int, error: str, reason: str) -> JsonResponse:
    body: dict[str, Any] = {"error": error, "reason": reason}
    return JsonResponse(body, status=status)
