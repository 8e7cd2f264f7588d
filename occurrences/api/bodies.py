"""Read the raw body of a request into single records, within limits, before anything is parsed whole."""

from collections.abc import Iterator

from django.http import HttpRequest

from occurrences.contract.errors import Refused
from occurrences.contract.wire import depth_exceeds, parse_json_strict

MOST_BYTES = 8 * 1024 * 1024
MOST_BYTES_A_RECORD = 64 * 1024
MOST_RECORDS = 1000
DEEPEST = 20


class TooLarge(Exception):
    """The body is over a limit; the text says which."""


def read(request: HttpRequest) -> bytes:
    """The raw body; raises TooLarge past 8 MiB, from the header alone where it says so."""
    announced = request.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) > MOST_BYTES:
        raise TooLarge(f"a body may have {MOST_BYTES} bytes")
    body = request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise TooLarge(f"a body may have {MOST_BYTES} bytes")
    return body


def records(body: bytes, *, ndjson: bool) -> list[tuple[object, Refused | None]]:
    """Each record as a JSON value, or the refusal of that one.

    Raises TooLarge for too many records, and Refused when the body as a whole is not a JSON list,
    a JSON object or lines of JSON.
    """
    found = list(_lines(body)) if ndjson else _list(body)
    if len(found) > MOST_RECORDS:
        raise TooLarge(f"a request may hold {MOST_RECORDS} records, this one has {len(found)}")
    return found


def _lines(body: bytes) -> Iterator[tuple[object, Refused | None]]:
    lines = [line for line in body.split(b"\n") if line.strip()]
    if len(lines) > MOST_RECORDS:
        raise TooLarge(f"a request may hold {MOST_RECORDS} records, this one has {len(lines)}")
    for line in lines:
        if len(line) > MOST_BYTES_A_RECORD:
            yield None, Refused("record", f"longer than {MOST_BYTES_A_RECORD} bytes")
            continue
        try:
            yield _value(line), None
        except Refused as refused:
            yield None, refused


def _list(body: bytes) -> list[tuple[object, Refused | None]]:
    value = _value(body)
    values = value if isinstance(value, list) else [value]
    return [(v, None) for v in values]


def _value(text: bytes) -> object:
    if depth_exceeds(text, DEEPEST):
        raise Refused("body", f"nested deeper than {DEEPEST}")
    return parse_json_strict(text)
