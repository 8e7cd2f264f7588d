"""Who may do what."""

import pytest

from occurrences.contract import permissions
from occurrences.contract.permissions import Forbidden, Person

PEOPLE = {
    "nobody": Person(name="n"),
    "viewer": Person(name="v", roles=frozenset({"viewer"})),
    "viewer in the team": Person(name="w", roles=frozenset({"viewer"}), teams=frozenset({"Billing"})),
    "operator": Person(name="o", roles=frozenset({"operator"})),
    "owner": Person(name="d", roles=frozenset({"owner"}), teams=frozenset({"Billing"})),
    "other owner": Person(name="e", roles=frozenset({"owner"}), teams=frozenset({"Sales"})),
    "admin": Person(name="a", roles=frozenset({"admin"})),
    "admin in the team": Person(name="b", roles=frozenset({"admin"}), teams=frozenset({"Billing"})),
}
SIGNED_IN = set(PEOPLE) - {"nobody"}
TRIAGING = SIGNED_IN - {"viewer", "viewer in the team"}
ADMINS = {"admin", "admin in the team"}
OWNERS = {"owner", "admin in the team"}
OPERATING = {"operator", "owner", "other owner", "admin in the team"}
BILLING, UNOWNED = {"team": "Billing"}, {"team": None}
OPEN, SHUT = {"operators_may_decide": True}, {"operators_may_decide": False}
OVERRIDE = {"needs_override": True}

TABLE = [
    ("read", {}, SIGNED_IN, "Needs a role"),
    *((name, {}, TRIAGING, "Needs an operator, an owner or an admin.") for name in ("triage", "note", "assign")),
    *((name, {}, TRIAGING, "Needs an operator") for name in ("set_priority", "snooze", "close", "reopen")),
    ("decide", BILLING | OPEN, OPERATING, "Needs an operator or the owner, team Billing."),
    ("decide", BILLING | SHUT, OWNERS, "Needs the owner, team Billing."),
    ("decide", BILLING | OPEN | OVERRIDE, OWNERS, "Needs the owner, team Billing."),
    ("decide", UNOWNED | OPEN, OPERATING | ADMINS, "Needs an operator or an admin, because no team owns"),
    ("decide", UNOWNED | SHUT, ADMINS, "Needs an admin, because no team owns"),
    ("decide", UNOWNED | OPEN | OVERRIDE, ADMINS, "Needs an admin, because no team owns"),
    ("edit_schedule_team", {}, ADMINS, "Needs an admin."),
    ("edit_effect_class", BILLING, OWNERS, "Needs the owner, team Billing."),
    ("edit_effect_class", UNOWNED, ADMINS, "Needs an admin, because no team owns"),
    ("publish_policy", {}, ADMINS, "Needs an admin."),
]


@pytest.mark.parametrize("who", list(PEOPLE))
@pytest.mark.parametrize(("act", "fields", "may", "words"), TABLE)
def test_the_check_and_the_question_agree_and_a_refusal_names_who_can(act, fields, may, words, who):
    check, can = getattr(permissions, f"check_can_{act}"), getattr(permissions, f"can_{act}")
    assert can(PEOPLE[who], **fields) is (who in may)
    if who in may:
        check(PEOPLE[who], **fields)
    else:
        with pytest.raises(Forbidden, match=words):
            check(PEOPLE[who], **fields)


def test_every_act_is_in_the_table():
    acts = {name.removeprefix("can_") for name in vars(permissions) if name.startswith("can_")}
    assert acts == {row[0] for row in TABLE}
    assert acts == {name.removeprefix("check_can_") for name in vars(permissions) if name.startswith("check_can_")}
