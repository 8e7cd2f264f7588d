"""The handbook's page of the safety contract says what the table and the checks say."""

from occurrences.contract.effects import Effect
from occurrences.contract.safety_answers import Demand
from occurrences.contract.safety_table import MODIFIERS, TABLE, Row
from occurrences.management.reference import pages
from occurrences.management.safety_examples import failed, passed

PAGE = pages()["safety.md"]


def test_safety_page_prints_every_cell():
    lines = {line[2]: line for line in PAGE.splitlines() if line[3:5] == ". " and line.startswith("| ")}
    for row in Row:
        cells = [f"{replay.word} / {skip.word}" for replay, skip in (TABLE[row, effect] for effect in Effect)]
        assert lines[row.value].split(" | ")[1:] == [*cells[:-1], f"{cells[-1]} |"]


def test_safety_page_prints_every_check_with_both_sentences():
    for check in passed():
        bad = failed(check.name)
        assert (check.passed, bad.passed) == (True, False)
        assert bad.demands is not Demand.NOTHING
        assert f"| {check.name} | {check.asks} | " in PAGE
        assert f"| {check.sentence} | {bad.sentence} | {bad.demands} |" in PAGE


def test_safety_page_prints_every_modifier():
    assert all(f"| {m.name} | {m.choice} | {m.sentence} |" in PAGE for m in MODIFIERS)
