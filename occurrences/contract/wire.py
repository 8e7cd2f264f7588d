"""Wire format v1: from a parsed JSON value to a typed record, or a refusal that names the field.

What breaks the format is refused and stays with its sender. What is well-formed and cannot be placed raises
NotPlaced, so that the caller can keep it in quarantine.
"""

from collections.abc import Callable, Mapping

from .errors import NotPlaced, Refused
from .wire_fields import Fields, check_deep
from .wire_kinds import coverage_in, handoff_in, process_in, schedule_in
from .wire_records import CoverageIn, HandoffIn, ProcessIn, ScheduleIn
from .wire_text import body_digest, canonical, depth_exceeds, parse_json_strict, record_key, text_digest

__all__ = [
    "CoverageIn",
    "HandoffIn",
    "ProcessIn",
    "ScheduleIn",
    "body_digest",
    "canonical",
    "depth_exceeds",
    "parse_json_strict",
    "parse_record",
    "record_key",
    "text_digest",
]

AnyRecord = HandoffIn | ScheduleIn | ProcessIn | CoverageIn
KINDS: Mapping[str, Callable[[Fields, str], AnyRecord]] = {
    "handoff": handoff_in,
    "schedule": schedule_in,
    "process": process_in,
    "coverage": coverage_in,
}


def parse_record(value: object, *, source: str) -> HandoffIn | ScheduleIn | ProcessIn | CoverageIn:
    """Return the typed record of one JSON value sent with the key of `source`.

    Raises Refused (field and reason) for what breaks the format, and NotPlaced (reason, record id, handoff
    word) for a well-formed handoff whose time no calendar of ours holds.
    """
    if not isinstance(value, Mapping):
        raise Refused("record", "is not an object")
    fields = Fields(value)
    if fields.integer("v") != 1:
        raise Refused("v", "only version 1 is known")
    kind = fields.choice("kind", tuple(KINDS))
    if fields.text("source") != source:
        raise Refused("source", f"this key belongs to {source}")
    try:
        record = KINDS[kind](fields, source)
    except NotPlaced:
        check_deep(value, "record")  # it is kept as it came, so all of it must be storable
        raise
    fields.refuse_unknown()
    return record
