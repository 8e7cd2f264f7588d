"""The one place where the tap swallows errors: the application that carries it must never see one."""

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

logger = logging.getLogger("aglet.tap")
_said: set[str] = set()


def say_once(kind: str, message: str, *, exc_info: bool = False) -> None:
    """Log `message` the first time this process meets `kind`; a broken console must not flood a log."""
    if kind in _said:
        return
    _said.add(kind)
    logger.warning("aglet tap: %s", message, exc_info=exc_info)


def quietly(function: Callable[P, R]) -> Callable[P, R | None]:
    """Turn every error of `function` into None and one log line for each function and kind of error."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R | None:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            name = function.__qualname__
            say_once(f"{name}:{type(error).__name__}", f"{name} failed and was ignored", exc_info=True)
            return None

    return guarded


def forget() -> None:
    """Say everything again; for a process that starts over, as tests do."""
    _said.clear()
