"""One field of a crontab: from its text to the values it names, or to where and why it is refused."""

from dataclasses import dataclass

from .errors import RefusedRule
from .grammars import BOUNDS, DAY, MONTH, WEEKDAY, Grammar

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@dataclass(frozen=True, slots=True, kw_only=True)
class CronField:
    """The values of a field (Sunday = 0), the special ones in cronsim's words, and whether it restricts nothing."""

    text: str
    numbers: frozenset[int]
    specials: frozenset[str]
    star: bool

    @property
    def starred(self) -> bool:
        """Whether it is written with a star in front, which is what cron goes by."""
        return self.text.startswith("*")

    def walked(self) -> str:
        """Return the field as cronsim reads it: each value by its number."""
        if self.star:
            return "*"
        return ",".join([*map(str, sorted(self.numbers)), *sorted(self.specials)])


def parse_field(text: str, name: str, grammar: Grammar) -> CronField:
    """Return what `text` names in the field `name`; RefusedRule says which part is refused, and why."""
    numbers: set[int] = set()
    specials: set[str] = set()
    star = False
    for part in text.upper().split(","):
        special = _special(part, name, grammar)
        if special is not None:
            specials.add(special)
            continue
        found, every = _values(part, name, grammar)
        numbers.update(found)
        star = star or every
    return CronField(text=text, numbers=frozenset(numbers), specials=frozenset(specials), star=star)


def _special(part: str, name: str, grammar: Grammar) -> str | None:
    """Return cronsim's word for the last day of a month or the nth weekday of one, where `part` is such a day."""
    if name == DAY and part in grammar.last_day:
        return "L"
    if name == DAY and part in grammar.last_working_day:
        return "LW"
    if name != WEEKDAY:
        return None
    for number in [*range(8), *WEEKDAYS]:
        if any(part == form.format(number) for form in grammar.last_weekday):
            return f"{_number(str(number), part, name, grammar) % 7}L"
    weekday, hash_sign, nth = part.partition("#")
    if not hash_sign or not grammar.nth:
        return None
    if nth not in ("1", "2", "3", "4", "5"):
        raise _refused(part, name, "a month has its first to its fifth of a weekday")
    return f"{_number(weekday, part, name, grammar) % 7}#{nth}"


def _values(part: str, name: str, grammar: Grammar) -> tuple[list[int], bool]:
    span, slash, step = part.partition("/")
    values, open_end = _span(span, part, name, grammar)
    every = _is_star(span, name, grammar)
    if slash:
        if not (step.isdecimal() and step.isascii() and int(step) > 0):
            raise _refused(part, name, f"{step!r} is no step")
        if open_end and not grammar.open_step:
            raise _refused(part, name, "a step needs a range or a star")
        if open_end:
            values = list(range(values[0], BOUNDS[name][1] + 1))
        values, every = values[:: int(step)], every and int(step) == 1 and grammar.stepped_star
    return [_stood_for(value, name, grammar) for value in values], every


def _span(span: str, part: str, name: str, grammar: Grammar) -> tuple[list[int], bool]:
    """Return the numbers from one to another, and whether it was one number alone."""
    low, high = BOUNDS[name]
    if _is_star(span, name, grammar):
        return list(range(low, high + 1)), False
    first, dash, last = span.partition("-")
    begin = _number(first, part, name, grammar)
    if not dash:
        return [begin], True
    end = _number(last, part, name, grammar)
    if end >= begin:
        return list(range(begin, end + 1)), False
    if not grammar.wraps:
        raise _refused(part, name, "it runs backwards")
    return [*range(begin, high + 1), *range(low, end + 1)], False


def _is_star(span: str, name: str, grammar: Grammar) -> bool:
    return span == "*" or (span == "?" and name in grammar.question_marks)


def _number(text: str, part: str, name: str, grammar: Grammar) -> int:
    low, high = BOUNDS[name]
    if text.isdecimal() and text.isascii():
        number = int(text)
        if low <= number <= high or any((name, number) == alias[:2] for alias in grammar.aliases):
            return number
        raise _refused(part, name, f"{text} is not between {low} and {high}")
    named = _named(text[:3] if grammar.long_names else text, name, grammar)
    if named is None or not low <= named <= high:
        raise _refused(part, name, f"{text!r} is no number and no name" if text else "a number is missing")
    return named


def _named(text: str, name: str, grammar: Grammar) -> int | None:
    if text in MONTHS and (name == MONTH or grammar.names_anywhere):
        return MONTHS.index(text) + 1
    if text in WEEKDAYS and (name == WEEKDAY or grammar.names_anywhere):
        return (WEEKDAYS.index(text) - grammar.monday_is_zero) % 7
    return None


def _stood_for(number: int, name: str, grammar: Grammar) -> int:
    number = next((meant for field, alias, meant in grammar.aliases if (field, alias) == (name, number)), number)
    return (number + 1) % 7 if name == WEEKDAY and grammar.monday_is_zero else number


def _refused(part: str, name: str, reason: str) -> RefusedRule:
    return RefusedRule(f"{part!r} in the {name}: {reason}")
