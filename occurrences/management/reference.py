"""The reference pages of the handbook, written from the code so that they cannot say something else."""

from collections.abc import Iterable, Sequence

from occurrences.contract.absences import ONLY_WHILE_ABSENT, OPENING
from occurrences.contract.handoffs import CELERY_TAP, STEPS, Capabilities, Handoff, role_of, usual_owner
from occurrences.contract.judgements import StationState
from occurrences.contract.policies import DEFAULT_ALLOWANCES
from occurrences.contract.verdicts import Verdict
from occurrences.management.reference_dialects import dialects
from occurrences.management.safety_reference import safety

NOTE = "<!-- Written by `manage.py write_reference`; edit the code, not this page. -->\n\n"


def pages() -> dict[str, str]:
    """The text of each page by file name."""
    return {
        "handoffs.md": NOTE + handoffs(),
        "verdicts.md": NOTE + verdicts(),
        "dialects.md": NOTE + dialects(_table),
        "safety.md": NOTE + safety(_table),
    }


def handoffs() -> str:
    """The handoff contract of a Celery source that carries the tap, and the states of a station."""
    capabilities = Capabilities.from_mapping(CELERY_TAP)
    rows = [
        (
            int(h),
            h.label,
            usual_owner(h),
            role_of(h, capabilities).value,
            "derived" if h is Handoff.DUE else CELERY_TAP[h.word],
            f"{DEFAULT_ALLOWANCES.of(h).total_seconds():g} s" if h in STEPS else "-",
        )
        for h in Handoff
    ]
    table = _table(("rank", "handoff", "usual owner", "proven by", "Celery tap", "default allowance"), rows)
    states = _table(("value", "words"), [(s.value, s.words) for s in StationState])
    return f"# The eight handoffs\n\n{table}\n## States of a station\n\n{states}"


def verdicts() -> str:
    """The vocabulary of verdicts, and which of them open a work item."""
    rows = [(f"`{v.value}`", v.words, _opens(v)) for v in Verdict]
    return f"# Verdicts\n\n{_table(('value', 'words', 'opens a work item'), rows)}"


def _opens(verdict: Verdict) -> str:
    if not OPENING[verdict]:
        return "no"
    if verdict is Verdict.UNKNOWN:
        return "one per source and gap"
    return "while still absent" if verdict in ONLY_WHILE_ABSENT else "yes"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)
