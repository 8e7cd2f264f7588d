"""Every colour pair of the stylesheet, recomputed: text at least 4.5 to 1, controls and icons at least 3 to 1."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from occurrences.contract.verdicts import Verdict
from occurrences.queries.pages.tones import STATE_TONES, VERDICT_TONES

STYLES = Path(settings.BASE_DIR, "static/aglet/aglet.css").read_text()
TOKENS = {name: pair for name, *pair in re.findall(r"--([a-z-]+): light-dark\((#\w{6}), (#\w{6})\)", STYLES)}
TONES = ("present", "late", "absent", "notyet", "off", "blind", "implied", "decided")
GROUNDS = ("bg", "surface", "raised")
TEXT = [(text, ground) for text in ("text", "muted", "link") for ground in GROUNDS]
TEXT += [("on-primary", "primary"), *((tone, f"{tone}-bg") for tone in TONES), *((tone, "bg") for tone in TONES)]
TEXT += [("text", f"{tone}-bg") for tone in TONES] + [("link", f"{tone}-bg") for tone in TONES]
CONTROLS = [(name, ground) for name in ("control", "focus", "primary") for ground in GROUNDS]


def luminance(colour: str) -> float:
    channels = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT, 4.5), (CONTROLS, 3.0)], ids=["text", "controls"])
def test_each_pair_has_enough_contrast(pairs: list[tuple[str, str]], least: float, theme: int):
    found = {pair: ratio(TOKENS[pair[0]][theme], TOKENS[pair[1]][theme]) for pair in pairs}
    assert {pair: value for pair, value in found.items() if value < least} == {}


def test_the_reckoning_agrees_with_known_ratios():
    assert ratio("#000000", "#ffffff") == pytest.approx(21)
    assert ratio("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_no_colour_stands_outside_the_tokens():
    outside = STYLES.partition("@layer reset {")[2]
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", outside.replace("#late", "")) == []


def test_every_verdict_and_state_has_a_tone_and_every_tone_its_colours():
    assert set(VERDICT_TONES) == set(Verdict)
    assert {*VERDICT_TONES.values(), *STATE_TONES.values()} <= set(TONES)
    assert all(f"{tone}-bg" in TOKENS for tone in TONES)
