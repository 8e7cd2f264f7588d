"""Each kept window is a test of its own: what the judge says is what was expected, at every moment of it."""

from pathlib import Path

import pytest

from occurrences.contract.window_comparing import compared
from occurrences.contract.window_files import read_window

FOLDER = Path(__file__).parent / "windows"
FILES = sorted(FOLDER.glob("*.json"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_judge_says_what_the_window_expects(file):
    comparison = compared(read_window(file.read_bytes()))
    assert comparison.differ == ()
    assert comparison.agree == comparison.expectations > 0


def test_every_window_is_named_by_its_file():
    assert len(FILES) == 41
    assert [read_window(file.read_bytes()).case for file in FILES] == [file.stem for file in FILES]
