"""The crontab grammar of each dialect, as data: which fields it has and which words it takes in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from .errors import RefusedRule

SECOND, MINUTE, HOUR = "second", "minute", "hour"
DAY, MONTH, WEEKDAY = "day of month", "month", "day of week"
FIVE = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)
BOUNDS = {SECOND: (0, 59), MINUTE: (0, 59), HOUR: (0, 23), DAY: (1, 31), MONTH: (1, 12), WEEKDAY: (0, 6)}
SUNDAY_AGAIN = ((WEEKDAY, 7, 0),)

NICKNAMES: Mapping[str, str] = MappingProxyType(
    {
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
        "@monthly": "0 0 1 * *",
        "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@hourly": "0 * * * *",
    }
)
NO_NICKNAMES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """What a dialect takes in a crontab, found by asking the program itself (the tests do so again).

    `seconds`: a sixth field stands `first` or `last`. `aliases`: a number beyond the bounds of a field, and the one it
    stands for. `wraps`: a range may run over the end of its field. `open_step`: `5/10` goes on from 5 to the end.
    `question_marks`: the fields that take `?` for `*`. `stepped_star`: `*/1` restricts a day as little as `*`.
    `last_day`: the words for the last day of the month. `nth`: `5#3` is the third Friday; `last_weekday`: how the last
    Friday is written. `long_names`: a name may be written out; `names_anywhere`: in any field.
    """

    nicknames: Mapping[str, str] = field(default_factory=lambda: NICKNAMES)
    seconds: str = ""
    monday_is_zero: bool = False
    aliases: tuple[tuple[str, int, int], ...] = SUNDAY_AGAIN
    wraps: bool = False
    open_step: bool = True
    question_marks: tuple[str, ...] = ()
    stepped_star: bool = True
    last_day: frozenset[str] = frozenset()
    last_working_day: frozenset[str] = frozenset()
    nth: bool = False
    last_weekday: tuple[str, ...] = ()
    long_names: bool = False
    names_anywhere: bool = False


CELERY = Grammar(nicknames=NO_NICKNAMES, aliases=(), wraps=True, open_step=False, long_names=True, names_anywhere=True)
PLAIN = Grammar(
    seconds="first",
    last_day=frozenset({"L"}),
    last_working_day=frozenset({"LW"}),
    nth=True,
    last_weekday=("{}L",),
)

GRAMMARS: Mapping[str, Grammar] = MappingProxyType(
    {
        "debian-cron": Grammar(open_step=False),
        "celery-beat": CELERY,
        "django-celery-beat": CELERY,
        "fugit": Grammar(
            nicknames=MappingProxyType(dict(NICKNAMES) | {"@noon": "0 12 * * *"}),
            seconds="first",
            aliases=((HOUR, 24, 0), *SUNDAY_AGAIN),
            wraps=True,
            last_day=frozenset({"L", "LAST", "-1"}),
            nth=True,
            last_weekday=("{}#L", "{}#LAST", "{}#-1"),
        ),
        "kubernetes": Grammar(aliases=(), question_marks=FIVE),
        "croniter": Grammar(
            seconds="last",
            wraps=True,
            question_marks=(DAY, WEEKDAY),
            stepped_star=False,
            last_day=frozenset({"L"}),
            nth=True,
            last_weekday=("L{}",),
        ),
        "apscheduler": Grammar(nicknames=NO_NICKNAMES, monday_is_zero=True, aliases=(), last_day=frozenset({"LAST"})),
        "temporal": Grammar(long_names=True),
    }
)


def grammar_of(dialect: object) -> Grammar:
    """Return the grammar of a preset by name; four knobs speak the plain one, that of cronsim."""
    if not isinstance(dialect, str):
        return PLAIN
    try:
        return GRAMMARS[dialect]
    except KeyError:
        raise RefusedRule(f"the dialect {dialect!r} is not known") from None
