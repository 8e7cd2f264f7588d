"""On which line of a JSON text a place stands."""

import json

import pytest

from occurrences.contract.json_lines import line_of

TEXT = """
{
  "id": "x", "list": [
    {"at": "a, \\"b\\": {"},
    [1, [],
     {}],
    {
      "at":
        7
    }
  ],
  "id": "y"
}
"""


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("", 2),
        ("list", 3),
        ("list[0].at", 4),
        ("list[1][1]", 5),
        ("list[1][2]", 6),
        ("list[2].at", 9),
        ("id", 12),
        ("list[2].gone", 7),
        ("list[9].at", 3),
        ("id.at", 12),
        ("list.at", 3),
    ],
)
def test_a_place_is_found_as_far_as_it_exists(where, line):
    json.loads(TEXT)
    assert line_of(TEXT, where) == line
