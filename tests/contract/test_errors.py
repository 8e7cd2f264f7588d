"""One tree of refusals."""

from occurrences.contract import errors


def test_every_refusal_is_a_contract_error_and_a_value_error():
    named = [item for item in vars(errors).values() if isinstance(item, type)]
    assert all(issubclass(item, errors.ContractError) and issubclass(item, ValueError) for item in named)


def test_a_refusal_names_its_field_and_a_quarantined_record_itself():
    refused = errors.Refused("due_at", "is missing")
    assert (refused.field, refused.reason, str(refused)) == ("due_at", "is missing", "due_at: is missing")
    assert errors.NotPlaced("too far", "r1/tick/1", "tick").record_id == "r1/tick/1"
