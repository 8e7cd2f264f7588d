"""The clock rule of a scheduler: what it does with local times that do not exist or come twice."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType

from .errors import RefusedRule

GAPS = ("skip", "after", "shift")
FOLDS = ("first", "both", "second")
WILDCARD_FOLDS = ("both", "first")
DAY_RULES = ("or", "and", "star_and")
WILDCARDS = ("starred", "every_hour", "never")
GAP_TIMES = ("each", "first", "none_counted")
KNOBS = ("gap", "fold_fixed", "fold_wildcard", "day_rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRule:
    """The four knobs of a dialect (handoff contract, section 2), and three that some programs turned out to need.

    `gap`: a local time that does not exist is left out (`skip`), due at the first instant after the jump
    (`after`), or due as if the old offset still held (`shift`); a wildcard has no due time there, the times that
    exist cover it. `fold_fixed` and `fold_wildcard`: which pass of a repeated hour counts. `day_rule`: how a day of
    the month and a weekday combine when both are given (`star_and`: `and` where one starts with `*`).

    `wildcard`: a rule is one when its minute or hour starts with `*` (`starred`), when it names every hour
    (`every_hour`), or `never`. `gap_times`: each local time in a gap is due by itself (`each`); or the scheduler looks
    for the next local time after the one it last ran at, so that it runs the `first` alone and goes on after the local
    time it then has; or it does so, yet runs `none_counted` to: none when the hour before the gap has a due time too,
    none after a midnight in the gap when the day before fits but for its weekday. `longest_jump`: a greater one is
    taken for a clock that was set right, and nothing is due for what it skipped.
    """

    gap: str
    fold_fixed: str
    fold_wildcard: str
    day_rule: str
    wildcard: str = "starred"
    gap_times: str = "each"
    longest_jump: timedelta | None = None

    def __post_init__(self) -> None:
        for name, value, known in (
            ("gap", self.gap, GAPS),
            ("fold_fixed", self.fold_fixed, FOLDS),
            ("fold_wildcard", self.fold_wildcard, WILDCARD_FOLDS),
            ("day_rule", self.day_rule, DAY_RULES),
            ("wildcard", self.wildcard, WILDCARDS),
            ("gap_times", self.gap_times, GAP_TIMES),
        ):
            if value not in known:
                raise RefusedRule(f"{name} is {value!r}, not one of {', '.join(known)}")


def _rule(
    gap: str,
    fold_fixed: str,
    fold_wildcard: str,
    day_rule: str,
    *,
    wildcard: str = "starred",
    gap_times: str = "each",
    longest_jump: timedelta | None = None,
) -> ClockRule:
    return ClockRule(
        gap=gap,
        fold_fixed=fold_fixed,
        fold_wildcard=fold_wildcard,
        day_rule=day_rule,
        wildcard=wildcard,
        gap_times=gap_times,
        longest_jump=longest_jump,
    )


CELERY = _rule("shift", "first", "first", "and", wildcard="never", gap_times="first")

PRESETS: Mapping[str, ClockRule] = MappingProxyType(
    {
        "debian-cron": _rule("after", "first", "both", "star_and", longest_jump=timedelta(hours=3)),
        "celery-beat": CELERY,
        "django-celery-beat": CELERY,
        "fugit": _rule("skip", "both", "both", "or"),
        "kubernetes": _rule("skip", "both", "both", "or"),
        "croniter": _rule("after", "both", "both", "or", wildcard="every_hour"),
        "apscheduler": _rule("shift", "both", "both", "and", wildcard="never", gap_times="none_counted"),
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
