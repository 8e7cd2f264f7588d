"""Read the raw body of a request into single records, within limits, before anything is parsed whole."""

import json

from django.http import HttpRequest

from occurrences.contract.errors import Refused
from occurrences.contract.wire import depth_exceeds, parse_json_strict

MOST_BYTES = 8 * 1024 * 1024
MOST_BYTES_A_RECORD = 64 * 1024
MOST_RECORDS = 1000
DEEPEST = 20


TOO_LONG = Refused("record", f"longer than {MOST_BYTES_A_RECORD} bytes")
Entry = tuple[object, Refused | None]


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


def records(body: bytes, *, ndjson: bool) -> list[Entry]:
    """Each record as a JSON value, or the refusal of that one.

    Raises TooLarge for too many records, for a body nested too deep and for one record alone that is too
    long; among others a too long one is refused by itself. Raises Refused when the body as a whole is not
    JSON or lines of JSON.
    """
    found = _lines(body) if ndjson else _list(body)
    if len(found) == 1 and found[0][1] is TOO_LONG:
        raise TooLarge(TOO_LONG.reason)
    return found


def _check_number(count: int) -> None:
    if count > MOST_RECORDS:
        raise TooLarge(f"a request may hold {MOST_RECORDS} records, this one has {count}")


def _lines(body: bytes) -> list[Entry]:
    lines = [line for line in body.split(b"\n") if line.strip()]
    _check_number(len(lines))
    return [_line(line) for line in lines]


def _line(line: bytes) -> Entry:
    if len(line) > MOST_BYTES_A_RECORD:
        return None, TOO_LONG
    try:
        return parse_json_strict(line), None
    except Refused as refused:
        return None, refused


def _list(body: bytes) -> list[Entry]:
    if depth_exceeds(body, DEEPEST + 1):  # the list itself is one level
        raise TooLarge(f"nested deeper than {DEEPEST}")
    try:
        value = parse_json_strict(body)
    except Refused:
        return _one_by_one(body)
    values = value if isinstance(value, list) else [value]
    _check_number(len(values))
    may_be_long = len(body) > MOST_BYTES_A_RECORD
    return [(None, TOO_LONG) if may_be_long and _is_long(v) else (v, None) for v in values]


def _is_long(value: object) -> bool:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")) > MOST_BYTES_A_RECORD


def _one_by_one(body: bytes) -> list[Entry]:
    """Find the records that are no plain JSON in a list that is otherwise, so that the rest is kept."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, list):
        return [(parse_json_strict(body), None)]
    _check_number(len(value))
    return [_line(json.dumps(v).encode()) for v in value]
