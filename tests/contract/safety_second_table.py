"""The second table: `safety_facts.md`, read and applied without any code of the contract."""

from pathlib import Path

TEXT = Path(__file__).with_name("safety_facts.md").read_text()
CLASSES = ("keyed", "repeatable", "cumulative", "once", "unclassified")
ORDER = ("allow", "warn", "override", "two-person", "block")
BEGUN = ("started-no-terminal", "failed")


def _lines(title: str) -> list[list[str]]:
    part = TEXT.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def _classes(name: str) -> tuple[str, ...]:
    return CLASSES if name == "any" else (name,)


CELLS = {
    (effect, situation): {"replay": replay, "skip": skip} if replay != "-" else {"replay": "block", "skip": "block"}
    for name, situation, replay, skip in _lines("What stands without anything else")
    for effect in _classes(name)
}
CHANGES = [
    (condition, tuple(("replay", "skip") if choice == "any" else (choice,)), _classes(name), then)
    for condition, choice, name, then in _lines("What changes it")
]


def situation(trail: str, liveness: str) -> str:
    """The situation, by the words of the page."""
    if trail == "succeeded":
        return "done"
    if liveness == "running":
        return "runs"
    if liveness == "can-start":
        return "may start"
    if trail == "blind" or liveness == "unknown":
        return "nobody can tell"
    return "over, begun" if trail in BEGUN else f"over, {'claimed' if trail == 'claimed-not-started' else 'unstarted'}"


def graded(trail: str, liveness: str, effect: str, choice: str, conditions: set[str]) -> str:
    """The grade of one choice under the conditions that hold, by their words on the page."""
    where = situation(trail, liveness)
    if where.startswith("over") and "later success" in conditions:
        conditions = conditions | {"later success, over"}
    grade = CELLS[effect, where][choice]
    for condition, choices, classes, then in CHANGES:
        if condition in conditions and choice in choices and effect in classes:
            grade = _changed(grade, then)
    return grade


def _changed(grade: str, then: str) -> str:
    if then == "one stricter":
        return grade if grade == "block" else ORDER[min(ORDER.index(grade) + 1, ORDER.index("two-person"))]
    if then.startswith("at least "):
        return max(grade, then.removeprefix("at least "), key=ORDER.index)
    return then
