"""The verdict vocabulary."""

from occurrences.contract.verdicts import Verdict


def test_every_verdict_has_words_of_its_own():
    words = [verdict.words for verdict in Verdict]
    assert len(set(words)) == len(words) == 22
    assert Verdict("delayed-claim").words == "Claim delayed"
    assert Verdict("unknown").words == "Cannot tell"
