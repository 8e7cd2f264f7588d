"""The evidence a decision was made on, as one text that never changes: canonical JSON and its SHA-256.

The same values always give the same text: members in the order of their names, no spaces, times in RFC 3339 UTC. The
document is kept with the decision; two-person approval and the ledger name it by its digest.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any
from uuid import UUID

from .errors import ContractError
from .handoffs import Handoff
from .judgements import Judgement
from .questions import Question
from .safety_assessments import Assessment
from .safety_inputs import SafetyInputs
from .safety_table import Grade


class NotCanonical(ContractError):
    """A value that has no one text: a naive time, a number that is none, an object of another kind."""


def plain(value: object) -> Any:
    """Return `value` as what JSON can hold; raises NotCanonical for what has no one form.

    Spans are seconds; enumerations are their machine value; sets are sorted by their text.
    """
    if isinstance(value, Handoff | Grade):
        return value.word
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, timedelta):
        return _number(value.total_seconds())
    if isinstance(value, UUID):
        return str(value)
    return _composed(value)


def canonical(value: object) -> str:
    """Return the one JSON text of `value`; raises NotCanonical."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical text of `value`, as hex; raises NotCanonical."""
    try:
        return hashlib.sha256(canonical(value).encode()).hexdigest()
    except UnicodeEncodeError as error:
        raise NotCanonical("a text holds half a character") from error


def snapshot_of(
    question: Question,
    judgement: Judgement,
    inputs: SafetyInputs,
    assessment: Assessment,
    *,
    more: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Return the document to keep: what was asked, what it came to, what was weighed and how.

    `more` is what only the database knows (record digests, queue reads, policy revision); task arguments are never
    part of it.
    """
    document = {
        "rule_version": assessment.rule_version,
        "identity": str(question.identity),
        "as_of": question.as_of,
        "question": {field.name: getattr(question, field.name) for field in fields(question)},
        "judgement": {field.name: getattr(judgement, field.name) for field in fields(judgement)},
        "inputs": inputs,
        "checks": assessment.checks,
        "assessment": {
            "row": assessment.row,
            "effect": assessment.effect,
            "advice": assessment.advice,
            "questions": assessment.questions,
            "replay": _weighed(assessment, "replay"),
            "skip": _weighed(assessment, "skip"),
        },
        "more": more or {},
    }
    found: dict[str, Any] = plain(document)
    return found


def _weighed(assessment: Assessment, name: str) -> dict[str, object]:
    verdict = getattr(assessment, name)
    return {
        "grade": verdict.grade,
        "cell": verdict.table.cell,
        "table": verdict.table.grade,
        "lifted_to": verdict.lifted_to,
        "modifiers": [modifier.name for modifier in verdict.table.modifiers],
        "sentence": verdict.sentence,
        "because": verdict.because,
    }


def _composed(value: object) -> Any:
    if isinstance(value, Mapping):
        return {_name(name): plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(member) for member in value), key=canonical)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    raise NotCanonical(f"a {type(value).__name__} has no canonical form")


def _name(name: object) -> str:
    found = plain(name)
    if not isinstance(found, str):
        raise NotCanonical("a member's name is a text")
    return found


def _moment(value: datetime) -> str:
    if value.tzinfo is None:
        raise NotCanonical("a time without an offset has no canonical form")
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _number(value: float) -> float | int:
    if value != value or value in (float("inf"), float("-inf")):
        raise NotCanonical("not a number, or endless")
    return int(value) if value.is_integer() else value
