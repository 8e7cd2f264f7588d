"""What the broker user of the lab may and may not do."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

from occurrences.lab.commands import PASSWORD_FILE, acl_setup, broker_url


@pytest.fixture
def broker_socket() -> Path:
    import os

    return Path(unquote(urlsplit(os.environ["REDIS_URL"]).path))


@pytest.fixture
def lab(broker_socket: Path, tmp_path: Path) -> Iterator[Redis]:
    acl_setup(broker_socket, tmp_path / PASSWORD_FILE)
    password = (tmp_path / PASSWORD_FILE).read_text()
    with Redis(unix_socket_path=str(broker_socket), username="lab", password=password) as client:
        yield client


def test_the_lab_reaches_its_own_keys_only(lab: Redis) -> None:
    lab.lpush("lab:try", "x")
    assert lab.delete("lab:try") == 1
    with pytest.raises(NoPermissionError):
        lab.lpush("aglet:console", "x")
    with pytest.raises(NoPermissionError):
        lab.lrange("aglet:console", 0, -1)


@pytest.mark.parametrize("command", ["FLUSHALL", "KEYS *", "CONFIG GET *", "ACL LIST", "SHUTDOWN"])
def test_the_lab_administers_nothing(lab: Redis, command: str) -> None:
    with pytest.raises(NoPermissionError):
        lab.execute_command(*command.split())


def test_the_password_is_made_once_and_private(broker_socket: Path, tmp_path: Path) -> None:
    file = tmp_path / PASSWORD_FILE
    acl_setup(broker_socket, file)
    first = file.read_text()
    acl_setup(broker_socket, file)
    assert file.read_text() == first
    assert file.stat().st_mode & 0o777 == 0o600


def test_without_the_password_nobody_is_the_lab(lab: Redis, broker_socket: Path) -> None:
    stranger = Redis(unix_socket_path=str(broker_socket), username="lab", password="guess")
    with stranger, pytest.raises(AuthenticationError):
        stranger.ping()


def test_a_socket_with_blanks_in_its_path_survives_the_address() -> None:
    assert broker_url(Path("/a b/c"), "p") == "redis+socket://lab:p@/a%20b/c?virtual_host=0"
