"""manage.py run_windows: exit codes, both outputs, files that cannot be read, and no database."""

import io
import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

WINDOWS = Path(__file__).resolve().parent.parent / "windows"
BASELINE = WINDOWS / "01-available-worker-baseline.json"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(*paths, **options) -> str:
    out = io.StringIO()
    call_command("run_windows", *map(str, paths), stdout=out, **options)
    return out.getvalue()


def refused(*paths) -> str:
    with pytest.raises(CommandError) as caught:
        run(*paths)
    assert caught.value.returncode == 2
    return str(caught.value)


def differing(*paths, **options) -> str:
    out = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("run_windows", *map(str, paths), stdout=out, **options)
    assert caught.value.code == 1
    return out.getvalue()


@pytest.fixture
def changed(tmp_path):
    """Write the baseline with its document changed, under the same name in a folder of its own."""

    def write(change) -> Path:
        document = json.loads(BASELINE.read_text())
        change(document)
        (tmp_path / BASELINE.name).write_text(json.dumps(document, indent=2))
        return tmp_path

    return write


def test_all_windows_agree_and_no_database_is_opened():  # the test has no access to one
    assert json.loads(run(WINDOWS, format="json")) == {
        "cases": 41,
        "expectations": 185,
        "agree": 185,
        "differ": [],
    }
    assert run(WINDOWS) == "185 of 185 expected occurrences agree; cases: 41, differences: 0\n"


def test_a_file_that_is_named_twice_is_judged_once(tmp_path):
    (tmp_path / "deeper").mkdir()
    shutil.copy(BASELINE, tmp_path / "deeper")
    assert json.loads(run(tmp_path, tmp_path / "deeper" / BASELINE.name, format="json"))["cases"] == 1


def test_a_difference_is_told_field_by_field_and_ends_with_one(changed):
    def wrong(document):
        document["expected"]["occurrences"][1]["verdict"] = "overran"
        document["expected"]["occurrences"][1]["first_absent"] = "terminal"

    said = json.loads(differing(changed(wrong), format="json"))
    assert (said["cases"], said["expectations"], said["agree"]) == (1, 2, 1)
    first = {
        "case": BASELINE.stem,
        "as_of": "2025-06-03T08:08:00Z",
        "identity": "status-sync@2025-06-03T08:05:00Z",
    }
    assert said["differ"] == [
        first | {"field": "first_absent", "expected": "terminal", "found": None},
        first | {"field": "verdict", "expected": "overran", "found": "on-time"},
    ]


def test_the_table_has_a_line_for_each_difference(changed):
    lines = differing(changed(lambda document: document["expected"]["occurrences"].pop())).splitlines()
    assert lines[0].split() == ["case", "as_of", "identity", "field", "expected", "found"]
    assert lines[1].split()[2:] == [
        "status-sync@2025-06-03T08:05:00Z",
        "identity",
        "null",
        "status-sync@2025-06-03T08:05:00Z",
    ]
    assert lines[2] == "1 of 1 expected occurrences agree; cases: 1, differences: 1"


def test_a_terminal_is_told_how_far_it_is(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    run(BASELINE, stderr=terminal)
    assert f"judging 1 of 1: {BASELINE.stem}" in terminal.getvalue()
    quiet = io.StringIO()
    monkeypatch.setattr("sys.stderr", quiet)
    run(BASELINE, stderr=quiet)
    assert quiet.getvalue() == ""


def test_what_is_not_there_is_named(tmp_path):
    assert refused(tmp_path / "nowhere.json") == f"{tmp_path / 'nowhere.json'}: there is no such file or folder"
    assert "no window file (*.json) in this folder" in refused(tmp_path)


def test_every_file_that_cannot_be_read_is_named_with_its_line(changed, tmp_path):
    changed(lambda document: document["handoffs"][2].update(at="2025-06-03T08:00:00"))
    (tmp_path / "broken.json").write_text('{\n  "id": "x",\n')
    lines = refused(tmp_path, WINDOWS).splitlines()
    assert lines[0].startswith(f"{tmp_path / BASELINE.name}:")
    assert lines[0].endswith("handoffs[2].at: has no offset")
    number = int(lines[0].split(":")[1])
    assert '"at": "2025-06-03T08:00:00"' in (tmp_path / BASELINE.name).read_text().splitlines()[number - 1]
    assert lines[1].startswith(f"{tmp_path / 'broken.json'}:3: is no JSON")
    assert len(lines) == 2


@pytest.mark.parametrize("wrong", [[], ["--format", "xml", str(BASELINE)]])
def test_wrong_arguments_are_refused(wrong):
    with pytest.raises(CommandError):
        call_command("run_windows", *wrong)


def test_what_a_file_says_neither_steers_the_terminal_nor_leaves_ascii_in_json(changed):
    def change(document):
        document["id"] = "a\x1b[31m\nb\u00fc"
        document["expected"]["occurrences"][0]["verdict"] = "failed"

    folder = changed(change)
    table = differing(folder)
    assert "\x1b" not in table
    assert len(table.splitlines()) == 3  # the heads, one difference, the counts
    assert differing(folder, format="json").isascii()
