"""What a person pastes into a shell runs the one command, whatever a schedule is called."""

import dataclasses
import subprocess

import pytest

from occurrences.adapters.base import TargetRefused
from occurrences.adapters.by_hand import ByHandTarget
from occurrences.contract.occurrences import Identity
from tests.adapters.contract_suite import DUE
from tests.adapters.test_webhook_addresses import message

HOSTILE = [
    "; touch {mark}",
    "$(touch {mark})",
    "`touch {mark}`",
    "' ; touch {mark} ; '",
    "a && touch {mark}",
    "-x > {mark}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_pasted_into_a_real_shell_only_the_one_command_runs(tmp_path, text):
    mark = tmp_path / "mark"
    name = text.format(mark=mark)
    sent = dataclasses.replace(
        message(),
        identity=Identity(source="cron:web", schedule_key=name, due_at=DUE),
        task="printenv",
        args=("AGLET_SCHEDULE", "AGLET_RECOVERY_ID", "AGLET_DUE"),
    )
    ran = subprocess.run(["sh", "-c", ByHandTarget().by_hand(sent)], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == [name, str(sent.recovery_id), "2026-10-25T01:30:00Z"]
    assert not mark.exists()


@pytest.mark.parametrize("text", ["a\nb", "a\x1b[201~b", "a\rb", "a\u202eb", "a=b"])
def test_what_could_steer_the_terminal_or_run_another_command_is_refused(text):
    with pytest.raises(TargetRefused):
        ByHandTarget().publish(dataclasses.replace(message(), task=text))
