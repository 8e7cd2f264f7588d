"""The knobs of a dialect."""

import pytest

from occurrences.contract.clock_rules import PRESETS, ClockRule, clock_rule, preset
from occurrences.contract.errors import RefusedRule


def test_django_celery_beat_keeps_the_clock_of_beat():
    assert preset("django-celery-beat") == preset("celery-beat")
    assert preset("celery-beat").gap_times == "first"


def test_a_knob_turned_too_far_is_refused():
    with pytest.raises(RefusedRule, match="gap is 'jump'"):
        ClockRule(gap="jump", fold_fixed="first", fold_wildcard="both", day_rule="or")


def test_an_unknown_dialect_is_refused():
    with pytest.raises(RefusedRule, match="not known"):
        preset("sundial")
    assert len(PRESETS) == 8


def test_four_knobs_make_a_clock_rule_and_fewer_do_not():
    knobs = {"gap": "skip", "fold_fixed": "both", "fold_wildcard": "both", "day_rule": "or"}
    assert clock_rule(knobs) == preset("fugit") == clock_rule("fugit")
    assert clock_rule(preset("fugit")) is preset("fugit")
    with pytest.raises(RefusedRule, match="has the knobs gap, fold_fixed, fold_wildcard, day_rule, not gap"):
        clock_rule({"gap": "skip"})
