"""Nothing healthy is ever called missing, and nothing missed is ever called fine, whatever is blind or down."""

import pytest

from tests.contract.blind import simulated

HEAD = f"{'records':<10}{'healthy':>9}{'missed':>8}{'unknown':>9}{'real':>7}{'found':>7}{'unknown':>9}{'fine':>6}"


def row(name: str, counts) -> str:
    """One line of the table."""
    columns = (
        ("healthy", 9),
        ("healthy ever missing", 8),
        ("healthy unknown", 9),
        ("real", 7),
        ("real missing", 7),
        ("real unknown", 9),
        ("real fine", 6),
    )
    return f"{name:<10}" + "".join(f"{counts[key]:>{width},}" for key, width in columns)


def assert_honest(counts) -> None:
    """The promise: no healthy run was called missing at any look; every miss is found, or said to be unknown."""
    assert counts["healthy ever missing"] == 0
    assert counts["real"] > 0
    assert counts["real fine"] == 0
    assert counts["real missing"] + counts["real unknown"] == counts["real"]


@pytest.mark.parametrize("spooled", [True, False], ids=["spooled", "lost"])
def test_a_day_with_outages(spooled):
    counts = simulated(days=1, spooled=spooled, seed=7)
    assert counts["healthy"] + counts["real"] > 2400
    assert_honest(counts)
    assert counts["healthy unknown"] == 0 if spooled else counts["healthy unknown"] > 0


def test_a_detector_that_does_not_ask_for_coverage_calls_healthy_runs_missing():
    assert simulated(days=1, spooled=True, seed=7, provable=False)["healthy ever missing"] > 0


@pytest.mark.long
def test_forty_days_of_twenty_schedules(capsys):
    table = {name: simulated(days=40, spooled=name == "spooled", seed=40) for name in ("spooled", "lost")}
    with capsys.disabled():
        print("", HEAD, *(row(name, counts) for name, counts in table.items()), sep="\n")
    for counts in table.values():
        assert counts["healthy"] + counts["real"] > 95_000
        assert_honest(counts)
    assert table["spooled"]["healthy unknown"] == 0
    assert table["lost"]["healthy unknown"] > 0
