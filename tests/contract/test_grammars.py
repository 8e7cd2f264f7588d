"""Every preset has a grammar beside its clock rule."""

import pytest

from occurrences.contract.clock_rules import PRESETS
from occurrences.contract.errors import RefusedRule
from occurrences.contract.grammars import GRAMMARS, PLAIN, grammar_of


def test_each_preset_speaks_a_grammar():
    assert set(GRAMMARS) == set(PRESETS)
    assert grammar_of("django-celery-beat") is grammar_of("celery-beat")


def test_knobs_speak_the_plain_grammar_and_a_wrong_name_none():
    assert grammar_of({"gap": "skip"}) is PLAIN
    with pytest.raises(RefusedRule, match="sundial"):
        grammar_of("sundial")
