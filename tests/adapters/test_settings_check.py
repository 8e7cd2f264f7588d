"""A bad setting is named at start, without its value; nothing fails later because of it."""

import pytest
from django.core.checks import run_checks

from occurrences.adapters.celery import CeleryTarget
from occurrences.adapters.registry import target_of
from occurrences.adapters.webhook import WebhookTarget

GOOD = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"


def errors(settings, **values):
    for name, value in values.items():
        setattr(settings, name, value)
    return [e.msg for e in run_checks() if e.id in ("aglet.E001", "aglet.E002")]


def test_the_scheme_of_an_address_chooses_the_target(settings):
    known = {
        "celery:a": "redis+socket:///nowhere.sock",
        "http:b": "https://hooks.example.com/x",
    }
    assert not errors(settings, TARGETS=known, WEBHOOK_HOSTS=["hooks.example.com"], WEBHOOK_SECRETS={"http:b": GOOD})
    kinds = [type(target_of(source, known)) for source in known]
    assert kinds == [CeleryTarget, WebhookTarget]


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("", "AGLET_TARGETS"),
        ("ftp://secret-word", "AGLET_TARGETS"),
        ("redis://secret-word:port", "AGLET_TARGETS"),
        ("by-hand:secret-word", "AGLET_TARGETS"),
        ("https://secret-word/x", "AGLET_WEBHOOK_HOSTS"),
        ("http://hooks.example.com/secret-word", "AGLET_WEBHOOK_HOSTS"),
        ("https://hooks.example.com/secret-word", "AGLET_WEBHOOK_SECRETS"),
    ],
)
def test_a_bad_address_is_an_error_that_names_the_setting_and_no_target(settings, address, named):
    known = {"http:b": address}
    (error,) = errors(settings, TARGETS=known, WEBHOOK_HOSTS=["hooks.example.com"], WEBHOOK_SECRETS={})
    assert named in error
    assert "http:b" in error
    assert "secret-word" not in error
    assert target_of("http:b", known) is None


def test_a_bad_list_of_hosts_and_a_bad_source_are_errors(settings):
    (hosts,) = errors(settings, TARGETS={}, WEBHOOK_HOSTS=["hooks.internal=0.0.0.0/0"])
    assert "AGLET_WEBHOOK_HOSTS" in hosts
    (source,) = errors(settings, TARGETS={"No Source": "by-hand:"}, WEBHOOK_HOSTS=[])
    assert "AGLET_TARGETS" in source
