"""The ordered table of verdicts."""

import inspect

from occurrences.contract import answer_rules, answer_sentences, rules, sentences
from occurrences.contract.answers import answered
from occurrences.contract.questions import as_known
from occurrences.contract.rules import RULES
from occurrences.contract.verdicts import Verdict
from tests.contract.evidence import question


def test_every_verdict_has_a_rule():
    assert {rule.verdict for rule in RULES} == set(Verdict)


def test_every_rule_has_a_name_of_its_own_and_the_last_one_always_applies():
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert RULES[-1].applies(answered(as_known(question(as_of=0))))


def test_rules_and_sentences_stay_small():
    modules = (rules, answer_rules, sentences, answer_sentences)
    functions = [
        function
        for module in modules
        for _, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
    ]
    assert max(len(inspect.getsource(f).splitlines()) for f in functions) <= 15
