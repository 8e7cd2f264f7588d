import dataclasses
import os
import subprocess

from aglet_recovery.launcher import living


def test_a_running_process_is_alive():
    assert living.is_alive(living.mark(os.getpid()))


def test_the_same_number_with_another_start_is_a_stranger():
    older = dataclasses.replace(living.mark(os.getpid()), started=1)
    assert not living.is_alive(older)
    assert living.session_members(older) == []


def test_the_same_number_and_start_after_a_reboot_is_a_stranger():
    assert not living.is_alive(dataclasses.replace(living.mark(os.getpid()), boot="another"))


def test_a_process_nobody_has_reaped_yet_is_not_alive():
    with subprocess.Popen(["sleep", "60"]) as process:
        known = living.mark(process.pid)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert not living.is_alive(known)


def test_the_rest_of_a_session_is_found_when_its_leader_is_gone():
    shell = subprocess.Popen(["sh", "-c", "sleep 60 & echo $!"], stdout=subprocess.PIPE, start_new_session=True)
    leader = living.mark(shell.pid)
    with shell:
        member = int(shell.stdout.readline())
    try:
        assert living.session_members(leader) == [member]
    finally:
        living.kill(member)


def test_a_damaged_mark_reads_as_none():
    assert living.mark_from_json({"pid": "many"}) is None
    assert living.mark_from_json(None) is None
    known = living.mark(os.getpid())
    assert living.mark_from_json(known.to_json()) == known
