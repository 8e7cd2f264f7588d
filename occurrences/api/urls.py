"""The machine interface, version 1, with its OpenAPI document under /api/docs."""

from ninja import NinjaAPI

from occurrences.api.occurrences import router as occurrences
from occurrences.api.records import router as records

api = NinjaAPI(
    title="Aglet Recovery",
    version="1",
    description="Evidence of handoffs in, the path of an occurrence out.",
    urls_namespace="api",
)
api.add_router("/v1/", records)
api.add_router("/v1/", occurrences)
