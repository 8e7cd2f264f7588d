"""The clock rule of a scheduler: what it does with local times that do not exist or come twice."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .errors import RefusedRule

GAPS = ("skip", "after", "shift")
FOLDS = ("first", "both", "second")
WILDCARD_FOLDS = ("both", "first")
DAY_RULES = ("or", "and", "star_and")
KNOBS = ("gap", "fold_fixed", "fold_wildcard", "day_rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRule:
    """The four knobs of a dialect (handoff contract, section 2).

    `gap`: a local time that does not exist is left out (`skip`), due at the first instant after the jump
    (`after`), or due as if the old offset still held (`shift`). `fold_fixed` and `fold_wildcard`: which pass
    of a repeated hour counts; a rule is a wildcard when its minute or hour starts with `*`. `day_rule`: how a
    day of the month and a weekday combine when both are given (`star_and`: `and` where one starts with `*`).

    `counts_on` marks a scheduler that looks for the next local time after the one it last ran at: of the times
    in a gap it runs the first alone, wildcard or not, and goes on after the local time it then has.
    """

    gap: str
    fold_fixed: str
    fold_wildcard: str
    day_rule: str
    counts_on: bool = False

    def __post_init__(self) -> None:
        for name, value, known in (
            ("gap", self.gap, GAPS),
            ("fold_fixed", self.fold_fixed, FOLDS),
            ("fold_wildcard", self.fold_wildcard, WILDCARD_FOLDS),
            ("day_rule", self.day_rule, DAY_RULES),
        ):
            if value not in known:
                raise RefusedRule(f"{name} is {value!r}, not one of {', '.join(known)}")


def _rule(gap: str, fold_fixed: str, fold_wildcard: str, day_rule: str, *, counts_on: bool = False) -> ClockRule:
    return ClockRule(
        gap=gap,
        fold_fixed=fold_fixed,
        fold_wildcard=fold_wildcard,
        day_rule=day_rule,
        counts_on=counts_on,
    )


CELERY = _rule("shift", "first", "first", "and", counts_on=True)

PRESETS: Mapping[str, ClockRule] = MappingProxyType(
    {
        "debian-cron": _rule("after", "first", "both", "star_and"),
        "celery-beat": CELERY,
        "django-celery-beat": CELERY,
        "fugit": _rule("skip", "both", "both", "or"),
        "kubernetes": _rule("skip", "both", "both", "or"),
        "croniter": _rule("after", "both", "both", "or"),
        "apscheduler": _rule("shift", "both", "both", "and"),
        "temporal": _rule("skip", "both", "both", "or"),
    }
)


def preset(dialect: str) -> ClockRule:
    """Return the clock rule of a dialect by name; another name raises RefusedRule."""
    try:
        return PRESETS[dialect]
    except KeyError:
        raise RefusedRule(f"the dialect {dialect!r} is not known") from None


def clock_rule(dialect: str | ClockRule | Mapping[str, str]) -> ClockRule:
    """Return the clock rule given by the name of a preset or by its four knobs; RefusedRule where it is neither."""
    if isinstance(dialect, ClockRule):
        return dialect
    if isinstance(dialect, str):
        return preset(dialect)
    if set(dialect) != set(KNOBS):
        raise RefusedRule(f"a clock rule has the knobs {', '.join(KNOBS)}, not {', '.join(sorted(dialect)) or 'none'}")
    return _rule(*(str(dialect[knob]) for knob in KNOBS))
