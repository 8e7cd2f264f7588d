"""One field of a crontab."""

import pytest
from cronsim.cronsim import Field
from hypothesis import given
from hypothesis import strategies as st

from occurrences.contract.cron_fields import parse_field
from occurrences.contract.grammars import DAY, HOUR, MINUTE, MONTH, PLAIN, WEEKDAY

FIELDS = {MINUTE: Field.MINUTE, HOUR: Field.HOUR, DAY: Field.DAY, MONTH: Field.MONTH, WEEKDAY: Field.DOW}
LOWEST = {MINUTE: 0, HOUR: 0, DAY: 1, MONTH: 1, WEEKDAY: 0}
HIGHEST = {MINUTE: 59, HOUR: 23, DAY: 31, MONTH: 12, WEEKDAY: 6}


@st.composite
def fields(draw):
    name = draw(st.sampled_from(sorted(FIELDS)))
    number = st.integers(LOWEST[name], HIGHEST[name])
    # Of equal ends with a step cronsim makes an open range; cron does not.
    first, last = sorted(draw(st.lists(number, min_size=2, max_size=2, unique=True)))
    step = draw(st.integers(1, 9))
    parts = st.sampled_from(("*", f"*/{step}", f"{first}", f"{first}-{last}", f"{first}-{last}/{step}"))
    return name, ",".join(draw(st.lists(parts, min_size=1, max_size=3)))


@given(fields())
def test_the_plain_grammar_reads_a_field_as_cronsim_does(field):
    name, text = field
    expected = {number % 7 if name == WEEKDAY else number for number in FIELDS[name].parse(text)}
    found = parse_field(text, name, PLAIN)
    assert found.numbers == expected
    assert found.star or {int(number) for number in found.walked().split(",")} == expected


def test_a_star_is_one_as_long_as_its_step_is_one():
    assert parse_field("*", DAY, PLAIN).star
    assert parse_field("5,*/1", DAY, PLAIN).star
    assert not parse_field("*/2", DAY, PLAIN).star
    assert parse_field("*/2", DAY, PLAIN).starred


@pytest.mark.parametrize(("text", "walked"), [("5#3", "5#3"), ("fri#1", "5#1"), ("7L", "0L"), ("1,5#3", "1,5#3")])
def test_the_nth_weekday_is_handed_on(text, walked):
    assert parse_field(text, WEEKDAY, PLAIN).walked() == walked
