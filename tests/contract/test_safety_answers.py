"""How a check came out: the words between the checks and the table."""

from occurrences.contract.safety_answers import GRADES, Demand
from occurrences.contract.safety_table import Grade


def test_safety_each_demand_has_its_grade():
    assert set(GRADES) == set(Demand)
    assert [demand.grade for demand in Demand] == [Grade.ALLOW, Grade.WARN, Grade.OVERRIDE, Grade.BLOCK]
