"""The second judge says of each kept window what the window expects."""

from dataclasses import replace
from pathlib import Path

import pytest

from occurrences.contract import window_judging
from occurrences.contract.judging import judge
from occurrences.contract.window_comparing import compared
from occurrences.contract.window_files import read_window
from tests.contract.reference.judge import reference

FILES = sorted((Path(__file__).parents[2] / "windows").glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_second_judge_says_what_the_window_expects(file, monkeypatch):
    asked = []

    def second(question):
        verdict, first_absent, *_ = reference(question)
        asked.append(question)
        return replace(judge(question), verdict=verdict, first_absent=first_absent)

    monkeypatch.setattr(window_judging, "judge", second)
    assert compared(read_window(file.read_bytes())).differ == ()
    assert asked
