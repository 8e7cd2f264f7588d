"""The repository keeps its own rules: the map equals the folders, files stay small, modules have tests."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APP = ROOT / "occurrences"
MAP = (APP / "README.md").read_text()
LONGEST, LONGEST_TEST = 400, 600
VAGUE = re.compile(r"(^|_)(utils?|helpers?|common|misc|managers?)$")


def sources() -> list[Path]:
    roots = (APP, ROOT / "aglet_recovery", ROOT / "tests")
    return [p for root in roots for p in root.rglob("*.py") if "migrations" not in p.parts]


def test_the_map_names_every_layer_and_no_other():
    layers = {p.name for p in APP.iterdir() if p.is_dir() and p.name not in ("__pycache__",)}
    named = set(re.findall(r"^\| `(\w+)/` \|", MAP, re.M))
    assert named == layers


def test_the_map_names_every_module_of_the_layers():
    for layer in ("contract", "models", "queries", "services"):
        row = next(line for line in MAP.splitlines() if line.startswith(f"| `{layer}/` |"))
        named = set(re.findall(r"`(\w+)`", row.split("|")[3]))
        found = {p.stem for p in (APP / layer).iterdir() if p.suffix == ".py" or p.is_dir()}
        assert named == found - {"__init__", "__pycache__"}, layer


def test_no_file_is_too_long():
    too_long = {
        p.relative_to(ROOT): n
        for p in sources()
        if (n := len(p.read_text().splitlines())) > (LONGEST_TEST if "tests" in p.parts else LONGEST)
    }
    assert not too_long


def test_no_name_says_nothing():
    assert not [p for p in sources() if VAGUE.search(p.stem)]


def test_nothing_committed_names_a_path_of_a_machine_or_a_registry():
    words = re.compile(r"(?<![\w.])/(?:work|root)/\w|https?://[^ \"]*(?:pypi|pythonhosted|npmjs|deb\.debian)")
    files = [p for p in ROOT.rglob("*") if p.suffix in {".py", ".md", ".txt", ".toml", ".html", ".css", ".js"}]
    ours = [p for p in files if not {".venv", ".git", "staticfiles", "node_modules"} & set(p.parts)]
    assert not [p.relative_to(ROOT) for p in ours if words.search(p.read_text(errors="replace"))]
