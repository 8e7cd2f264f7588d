"""JSON at the border: strict parsing, a depth check before it, and digests of what came in."""

import json
import re
from hashlib import blake2b, sha256
from typing import NoReturn

from .errors import Refused

DEEPEST = 20
LONGEST_NUMBER = 32
STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
BRACKETS = re.compile(rb"[\[\]{}]")


def depth_exceeds(text: str | bytes, limit: int) -> bool:
    """Return whether brackets nest deeper than `limit`: a cheap look before the text is parsed at all."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    depth = 0
    for bracket in BRACKETS.finditer(STRINGS.sub(b"", raw)):
        depth += 1 if bracket.group() in b"[{" else -1
        if depth > limit:
            return True
    return False


def parse_json_strict(raw: bytes) -> object:
    """Return the JSON value of `raw`; raise Refused where it is no plain JSON.

    Refused are NaN and Infinity, nesting deeper than 20, whole numbers of more than 32 digits, numbers too
    large for a float, and bytes that are not UTF-8. Of a name given twice the last one counts.
    """
    if depth_exceeds(raw, DEEPEST):
        raise Refused("record", f"nests deeper than {DEEPEST}")
    try:
        value: object = json.loads(
            raw.decode("utf-8"), parse_constant=_no_constant, parse_int=_integer, parse_float=_float
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Refused("record", f"is not JSON: {str(error)[:120]}") from None
    return value


def body_digest(value: object) -> bytes:
    """Return the SHA-256 of the canonical JSON of `value`: names sorted, no spaces, plain ASCII."""
    return text_digest(canonical(value))


def text_digest(text: str) -> bytes:
    """Return the digest of a value that is canonical JSON already."""
    return sha256(text.encode("ascii")).digest()


def canonical(value: object) -> str:
    """Return the one way to write `value` as JSON."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def record_key(source: str, record_id: str) -> bytes:
    """Return the 16 bytes under which a record of a source is stored, the same for every delivery of it."""
    first, second = source.encode("utf-8"), record_id.encode("utf-8")
    return blake2b(len(first).to_bytes(4, "big") + first + second, digest_size=16).digest()


def _no_constant(name: str) -> NoReturn:
    raise Refused("record", f"{name} is not JSON")


def _integer(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise Refused("record", f"a number has more than {LONGEST_NUMBER} digits")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise Refused("record", "a number is too large")
    return number
