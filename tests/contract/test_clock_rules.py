"""The knobs of a dialect."""

import pytest

from occurrences.contract.clock_rules import PRESETS, ClockRule, preset
from occurrences.contract.errors import RefusedRule


def test_django_celery_beat_keeps_the_clock_of_beat():
    assert preset("django-celery-beat") == preset("celery-beat")
    assert preset("celery-beat").counts_on


def test_a_knob_turned_too_far_is_refused():
    with pytest.raises(RefusedRule, match="gap is 'jump'"):
        ClockRule(gap="jump", fold_fixed="first", fold_wildcard="both", day_rule="or")


def test_an_unknown_dialect_is_refused():
    with pytest.raises(RefusedRule, match="not known"):
        preset("sundial")
    assert len(PRESETS) == 8
