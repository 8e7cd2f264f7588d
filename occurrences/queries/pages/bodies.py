"""Bodies of records as text. What a source sent is never markup and never shows its arguments."""

import json
from typing import Any

# Arguments belong to the application; the wire has no field for them, and a free `detail` must not carry them here.
NEVER_SHOWN = frozenset({"args", "kwargs", "argsrepr", "kwargsrepr", "arguments"})


def as_text(body: Any) -> str:
    """The body as indented JSON with what is never shown left out; a template escapes it."""
    return json.dumps(_shown(body), indent=2, ensure_ascii=False, sort_keys=True)


def word_of(body: Any, name: str) -> str:
    """A field of a stored body as text; empty where there is none."""
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, str) else ""


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: "(not shown)" if k.lower() in NEVER_SHOWN else _shown(v) for k, v in value.items()}
    return [_shown(v) for v in value] if isinstance(value, list) else value
