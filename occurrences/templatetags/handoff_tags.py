"""Icons, times and ages. UTC is always printed: it is the identity."""

from datetime import UTC, datetime

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from occurrences.contract.times import span_text
from occurrences.queries.pages.clock_notes import zone_named

register = template.Library()


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
    """`02:30:02 CET` and `01:30:02Z`, each with its date where it is not the day of `day`."""
    if at is None:
        return ""
    utc = format_html('<span class="utc">{}</span>', _text(at, UTC, day) + "Z")
    where = zone_named(zone)
    if where.key == "UTC":
        return format_html('<time datetime="{}">{}</time>', _stamp(at), utc)
    local = at.astimezone(where)
    return format_html('<time datetime="{}">{} {}</time> {}', _stamp(at), _text(at, where, day), f"{local:%Z}", utc)


def _text(at: datetime, where: object, day: datetime | None) -> str:
    local = at.astimezone(where)  # type: ignore[arg-type]
    same = day is not None and local.date() == day.astimezone(where).date()  # type: ignore[arg-type]
    return f"{local:%H:%M:%S}" if same else f"{local.day} {local:%b %H:%M:%S}"


def _stamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


@register.simple_tag
def due_words(at: datetime, zone: str = "UTC") -> str:
    """The due time in a heading: `25 Oct 02:30 CET`."""
    local = at.astimezone(zone_named(zone))
    clock = f"{local:%H:%M:%S}" if local.second else f"{local:%H:%M}"
    return f"{local.day} {local:%b} {clock} {local:%Z}"


@register.simple_tag
def age(since: datetime, now: datetime) -> SafeString:
    """How long ago, kept up to date by the page's script; exact, never "about"."""
    return format_html('<time datetime="{}" data-age>{}</time>', _stamp(since), span_text(now - since))


@register.simple_tag
def span(until: datetime, now: datetime) -> str:
    """How long until then."""
    return span_text(until - now)


@register.filter
def stamp(at: datetime) -> str:
    """The moment for a machine to read."""
    return f"{at.astimezone(UTC).isoformat()}"
