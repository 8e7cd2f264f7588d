"""Icons, times, ages and addresses. UTC is always printed: it is the identity."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from occurrences.contract.policies import PolicyVersion
from occurrences.contract.times import span_text
from occurrences.models import ClaimAgePolicy
from occurrences.queries.pages.addresses import address_of_schedule
from occurrences.queries.pages.clock_notes import zone_named

register = template.Library()
ID_PARTS = re.compile(r"[^/@:]*[/@:]|[^/@:]+")


@register.simple_tag
def icon(name: str) -> SafeString:
    """A symbol of the sprite; the word beside it carries the meaning."""
    return format_html('<svg class="ico" aria-hidden="true"><use href="#i-{}"/></svg>', name)


@register.simple_tag
def tag(tone: str, words: str) -> SafeString:
    """A state: icon, word and colour together."""
    return format_html('<span class="tag" data-s="{}">{}{}</span>', tone, icon(tone), words)


@register.simple_tag
def moment(at: datetime | None, zone: str = "UTC", day: datetime | None = None) -> SafeString | str:
    """`02:30:02 CET / 01:30:02Z`, with the date where it is not the day of `day`."""
    return "" if at is None else _both(at, zone_named(zone), day, "%H:%M:%S")


@register.simple_tag
def instant(at: datetime) -> SafeString:
    """`2026-11-29 18:00:00Z`: with its year, for what may lie years away."""
    return format_html('<time datetime="{}">{}</time>', _stamp(at), f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z")


@register.simple_tag
def due(at: datetime, zone: str = "UTC", day: datetime | None = None) -> SafeString:
    """A due time: as a moment, but without seconds where it has none."""
    return _both(at, zone_named(zone), day, "%H:%M:%S" if at.second else "%H:%M")


@register.simple_tag
def local(at: datetime, zone: str, *, year: bool = False) -> SafeString:
    """`Sun 25 Oct 02:30 CET`: the day and the local time alone; UTC stands beside it."""
    here = at.astimezone(zone_named(zone))
    clock = _text(here, ("%Y " if year else "") + ("%H:%M:%S" if here.second else "%H:%M"), dated=True)
    return format_html('<time datetime="{}">{} {} {}</time>', _stamp(at), f"{here:%a}", clock, f"{here:%Z}")


@register.simple_tag
def utc(at: datetime) -> SafeString:
    """`25 Oct 01:30Z`: the identity of a due time, alone."""
    there = at.astimezone(UTC)
    clock = _text(there, "%H:%M:%S" if there.second else "%H:%M", dated=True)
    return format_html('<time datetime="{}" class="utc">{}Z</time>', _stamp(at), clock)


def _both(at: datetime, zone: ZoneInfo, day: datetime | None, clock: str) -> SafeString:
    local, utc = at.astimezone(zone), at.astimezone(UTC)
    dated = day is None or local.date() != day.astimezone(zone).date()
    only_utc = zone.key == "UTC"
    far = format_html(
        '<span class="utc">{}Z</span>', _text(utc, clock, dated=local.date() != utc.date() or (only_utc and dated))
    )
    if only_utc:
        return format_html('<time datetime="{}">{}</time>', _stamp(at), far)
    near = _text(local, clock, dated=dated)
    return format_html(
        '<time datetime="{}">{} {}</time><span class="sep"> / </span>{}', _stamp(at), near, local.tzname(), far
    )


def _text(at: datetime, clock: str, *, dated: bool) -> str:
    return f"{at.day} {at:%b} {at:{clock}}" if dated else f"{at:{clock}}"


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


@register.simple_tag
def due_words(at: datetime, zone: str = "UTC") -> str:
    """The due time in a heading: `25 Oct 02:30 CET`."""
    local = at.astimezone(zone_named(zone))
    return f"{_text(local, '%H:%M:%S' if local.second else '%H:%M', dated=True)} {local:%Z}"


@register.simple_tag
def due_short(at: datetime, zone: str, day: datetime) -> str:
    """The due time among others of its schedule: with the date only where it is another day, with the offset's name."""
    local = at.astimezone(zone_named(zone))
    dated = local.date() != day.astimezone(zone_named(zone)).date()
    return f"{_text(local, '%H:%M:%S' if local.second else '%H:%M', dated=dated)} {local:%Z}"


@register.simple_tag
def age(since: datetime, now: datetime) -> SafeString:
    """How long ago, kept up to date by the page's script; exact, never "about"."""
    return format_html('<time datetime="{}" data-age>{}</time>', _stamp(since), span_text(now - since))


@register.simple_tag
def span(until: datetime, now: datetime) -> str:
    """How long until then."""
    return span_text(until - now)


@register.simple_tag
def length(span: timedelta) -> str:
    """A duration, whichever way it points."""
    return span_text(span)


@register.simple_tag
def version_words(version: ClaimAgePolicy | PolicyVersion) -> str:
    """`Queue mail, version 3`: the scope of a policy with its version."""
    scope = f"{version.scope.capitalize()} {version.target}" if version.target else "All schedules"
    return f"{scope}, version {version.version}"


@register.filter
def breakable(text: str) -> SafeString:
    """A long id that may break after its separators, and only then in the middle of a word."""
    return format_html_join("", "{}<wbr>", ((part,) for part in ID_PARTS.findall(text)))


@register.filter
def stamp(at: datetime) -> str:
    """The moment for a machine to read."""
    return f"{at.astimezone(UTC).isoformat()}"


@register.simple_tag
def schedule_url(source: str, key: str) -> str:
    """The page of a schedule."""
    return address_of_schedule(source, key)
