"""Say at start what is wrong with the settings about targets, by their names, before anybody decides a replay."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, register

from occurrences.adapters.registry import target_at
from occurrences.adapters.settings import BadSetting
from occurrences.adapters.webhook.hosts import read_hosts
from occurrences.contract.errors import InvalidIdentity
from occurrences.contract.occurrences import check_source_name

UNUSABLE_TARGET, UNUSABLE_HOSTS = "aglet.E001", "aglet.E002"


@register
def check_targets(app_configs: Any, **options: Any) -> Sequence[CheckMessage]:
    """One error for each target that could not be used, and one for an unreadable list of hosts."""
    try:
        read_hosts(settings.WEBHOOK_HOSTS)
    except BadSetting as error:
        return [Error(str(error), id=UNUSABLE_HOSTS)]
    problems = ((source, _problem(source, address)) for source, address in settings.TARGETS.items())
    return [Error(f"{problem} ({source})", id=UNUSABLE_TARGET) for source, problem in problems if problem]


def _problem(source: str, address: str) -> str | None:
    try:
        check_source_name(source)
        target_at(address, source)
    except InvalidIdentity as error:
        return f"AGLET_TARGETS: {error}"
    except BadSetting as error:
        return str(error)
    return None
