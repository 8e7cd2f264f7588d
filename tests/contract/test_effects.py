"""Effect classes."""

from occurrences.contract.effects import MEANINGS, Effect


def test_safety_each_effect_class_has_one_line_to_choose_by():
    assert set(MEANINGS) == set(Effect)
    assert all(effect.meaning.endswith(".") and effect.words for effect in Effect)
    assert [effect.value for effect in Effect] == ["keyed", "repeatable", "cumulative", "once", "unclassified"]
