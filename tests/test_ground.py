"""What everything stands on: safe defaults, time-outs, headers, one log line."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from aglet_recovery import beat
from occurrences.management.reference import pages

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("statement_timeout", "30s"),
        ("lock_timeout", "2s"),
        ("idle_in_transaction_session_timeout", "5s"),
        ("TimeZone", "UTC"),
    ],
)
def test_every_connection_has_its_time_outs(name, value):
    with connection.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        assert cursor.fetchone() == (value,)


def test_connections_persist_and_are_checked():
    assert settings.DATABASES["default"]["CONN_MAX_AGE"] > 0
    assert settings.DATABASES["default"]["CONN_HEALTH_CHECKS"] is True


def test_celery_speaks_json_only_and_keeps_no_results():
    from aglet_recovery.celery import app

    assert app.conf.accept_content == ["json"]
    assert app.conf.result_backend is None
    assert app.conf.broker_transport_options["global_keyprefix"] == "aglet:"


def test_there_is_one_beat_entry_per_task_and_each_message_expires_with_its_interval():
    table = beat.table()
    assert sorted(table) == ["dispatch", "housekeeping", "plan", "sweep"]
    assert all(entry["options"]["expires"] == entry["schedule"].period for entry in table.values())


@pytest.mark.parametrize("path", ["/healthz", "/sign-in/", "/nowhere/", "/api/openapi.json"])
@pytest.mark.django_db
def test_every_answer_has_a_policy_without_inline_code_and_a_request_id(path):
    reply = Client().get(path)
    policy = reply["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'self'" in policy
    assert reply["X-Frame-Options"] == "DENY"
    assert reply["X-Content-Type-Options"] == "nosniff"
    assert len(reply["X-Request-ID"]) == 32


@pytest.mark.parametrize("path", ["/inbox/?source=%00", "/decisions/?choice=%00", "/schedules/?source=a%00b"])
def test_an_address_with_a_nul_is_400(path):
    assert Client().get(path).status_code == 400


def test_health_touches_nothing_so_it_answers_without_a_database():
    assert Client().get("/healthz").content == b"ok\n"  # no database mark: a query would fail this test


@pytest.mark.django_db
def test_a_late_detector_is_told_but_does_not_make_readiness_fail():
    reply = Client().get("/readyz")
    assert reply.status_code == 200
    assert reply.json() == {
        "ready": True, "database": True, "broker": True, "migrations": True,
        "detector_late": True, "detector_age_seconds": None,
    }  # fmt: skip


def test_a_request_writes_one_line_that_a_line_break_in_the_path_cannot_forge(caplog):
    with caplog.at_level(logging.INFO, logger="aglet.request"):
        Client().get("/healthz%0A2026-01-01 INFO forged")
    lines = [r.getMessage() for r in caplog.records if r.name == "aglet.request"]
    assert len(lines) == 1
    assert "\n" not in lines[0]


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if k != "DJANGO_ALLOW_ASYNC_UNSAFE"}  # the browser tests need it
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=inherited | env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_deploy_check_is_clean_under_https():
    done = run(
        "check", "--deploy", "--fail-level", "WARNING", AGLET_BASE_URL="https://aglet.example", AGLET_SSL_REDIRECT="1"
    )
    assert done.returncode == 0, done.stderr


def test_secure_cookies_and_hsts_follow_the_scheme_of_the_base_url():
    show = "from django.conf import settings as s; "
    show += "print(s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0)"
    assert (
        run("shell", "--no-imports", "-c", show, AGLET_BASE_URL="https://a.example").stdout.strip() == "True True True"
    )
    assert (
        run("shell", "--no-imports", "-c", show, AGLET_BASE_URL="http://a.example").stdout.strip()
        == "False False False"
    )


def test_the_reference_is_current():
    for name, text in pages().items():
        assert (ROOT / "docs" / "reference" / name).read_text() == text, "run manage.py write_reference"
    assert run("write_reference", "--check").returncode == 0
