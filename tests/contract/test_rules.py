"""The ordered table of verdicts."""

import inspect

from occurrences.contract import rules, sentences
from occurrences.contract.facts import Facts
from occurrences.contract.questions import as_known
from occurrences.contract.rules import RULES
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import question

LATER = {Verdict.RECOVERY_UNVERIFIED, Verdict.SKIPPED, Verdict.RAN_AFTER_SKIP}


def test_every_verdict_but_those_of_decisions_has_a_rule():
    assert {rule.verdict for rule in RULES} == set(Verdict) - LATER


def test_every_rule_has_a_name_of_its_own_and_the_last_one_always_applies():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert RULES[-1].applies(Facts(question=as_known(question(as_of=0))))


def test_rules_and_sentences_stay_small():
    functions = [f for _, f in inspect.getmembers(rules, inspect.isfunction) if f.__module__ == rules.__name__]
    functions += [f for _, f in inspect.getmembers(sentences, inspect.isfunction)]
    assert max(len(inspect.getsource(f).splitlines()) for f in functions) <= 15
