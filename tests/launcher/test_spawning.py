import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aglet_recovery.launcher import accounts, living
from aglet_recovery.launcher.spawning import OURSELVES, Account, Program, spawn

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="changing the user needs root")

PARENT = """
import sys, time
from aglet_recovery.launcher.spawning import Account, Program, spawn
uid = int(sys.argv[1]) or None
child = spawn(Program(name="x", argv=["sleep", "60"], env={}, account=Account(uid=uid, gid=uid, prefix=sys.argv[2:])))
print(child.pid, flush=True)
time.sleep(60)
"""


def gone(mark: living.Mark) -> bool:
    deadline = time.monotonic() + 5
    while living.is_alive(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not living.is_alive(mark)


def child_of_a_killed_parent(account: Account) -> living.Mark:
    argv = [sys.executable, "-c", PARENT, str(account.uid or 0), *account.prefix]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as parent:
        mark = living.mark(int(parent.stdout.readline()))
        assert living.is_alive(mark)
        parent.kill()
    return mark


def test_a_child_ends_with_its_killed_parent():
    assert gone(child_of_a_killed_parent(OURSELVES))


@as_root
def test_a_child_of_another_user_ends_with_its_killed_parent():
    assert gone(child_of_a_killed_parent(accounts.nobody()))


@as_root
def test_a_child_in_a_user_namespace_ends_with_its_killed_parent(tmp_path):
    account = accounts.choose(bin_dir=tmp_path, data_dir=tmp_path)
    namespace = accounts._namespace()
    if namespace is None or not accounts.can(namespace, "-d", tmp_path):
        pytest.skip("no user namespaces here")
    assert account.uid is not None, "a folder without a server in it must not pass the probe"
    assert gone(child_of_a_killed_parent(namespace))


def test_a_child_can_be_interrupted_though_we_ignore_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with spawn(Program(name="x", argv=["sleep", "60"], env={})) as process:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=5) == -signal.SIGINT
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_child_leads_a_session_of_its_own():
    with spawn(Program(name="x", argv=["sleep", "60"], env={})) as process:
        assert living.read_stat(process.pid).session == process.pid
        process.kill()
