"""The forms of the screens: what a person may send, in words they can correct. Rules and rights are the services'."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms

from occurrences.contract.decisions import Choice
from occurrences.contract.policies import SCOPES
from occurrences.contract.times import EARLIEST, LATEST
from occurrences.models import Team
from occurrences.models.schedules import EFFECT_CLASSES
from occurrences.queries.pages.people import people_who_triage

CLOCK = re.compile(r"(\d{1,2}):(\d{2})Z")
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})")
ALLOWANCES = ("tick", "enqueue", "ready", "claim", "start", "run", "readback", "fold", "expires")
A_YEAR = 31_536_000
HIDDEN = ("decision_key", "shown_at", "shown_verdict")
HOW = "Write a time in UTC: 18:00Z for the next one, or a date with it, such as 2026-11-29T18:00Z."


def moment_of(text: str, now: datetime) -> datetime:
    """Read `18:00Z` (the next one after `now`) or `2026-11-29T18:00Z`; anything else raises ValueError."""
    text = text.strip().upper()
    if clock := CLOCK.fullmatch(text):
        today = now.astimezone(UTC).replace(hour=int(clock[1]), minute=int(clock[2]), second=0, microsecond=0)
        return today if today > now else today + timedelta(days=1)
    if not MOMENT.fullmatch(text):
        raise ValueError(text)
    moment = datetime.fromisoformat(text).astimezone(UTC)
    if not EARLIEST <= moment < LATEST:
        raise ValueError(text)
    return moment


class MomentField(forms.CharField):
    """A moment in UTC, as text; empty gives None where it is not required."""

    def __init__(self, *, now: datetime, **more: Any) -> None:
        super().__init__(max_length=40, **more)
        self.now = now

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text:
            return None
        try:
            return moment_of(text, self.now)
        except (ValueError, OverflowError):
            raise forms.ValidationError(HOW) from None


class DecideForm(forms.Form):
    """Replay or skip, with the evidence it is founded on and the key that makes it count once."""

    choice = forms.ChoiceField(
        choices=[(c.value, c.value.capitalize()) for c in Choice],
        error_messages={"required": "Choose replay or skip.", "invalid_choice": "Choose replay or skip."},
    )
    reason = forms.CharField(
        max_length=10_000, error_messages={"required": "Give a reason: what you saw, and why this is safe."}
    )
    evidence_rev = forms.IntegerField(min_value=0)
    decision_key = forms.UUIDField()
    shown_at = forms.DateTimeField()
    shown_verdict = forms.CharField(max_length=32, required=False)

    def decision(self) -> dict[str, Any]:
        """The checked values as the service takes them."""
        said = self.cleaned_data
        return {
            "choice": Choice(said["choice"]),
            "reason": said["reason"],
            "decision_key": said["decision_key"],
            "evidence_revision": said["evidence_rev"],
        }

    def kept(self) -> dict[str, Any]:
        """What a form that came back keeps of the hidden values: nothing was recorded under its key yet."""
        return {name: value for name, value in self.cleaned_data.items() if name in HIDDEN and value}


class Act(forms.Form):
    """A form of the work item page; `now` is when it was sent."""

    def __init__(self, *args: Any, now: datetime, **more: Any) -> None:
        super().__init__(*args, **more)
        self.now = now


class AssignForm(Act):
    """Who takes care; empty is nobody."""

    owner = forms.ModelChoiceField(
        queryset=people_who_triage(),
        to_field_name="username",
        required=False,
        error_messages={"invalid_choice": "Choose somebody who may work on work items."},
    )


class PriorityForm(Act):
    """P1 to P4."""

    priority = forms.IntegerField(min_value=1, max_value=4)


class NextDecisionForm(Act):
    """What has to be decided next, in one line."""

    text = forms.CharField(max_length=500, required=False)


class CommentForm(Act):
    """A comment."""

    text = forms.CharField(max_length=10_000, error_messages={"required": "Write something first."})


class SnoozeForm(Act):
    """Until when the work item waits."""

    def __init__(self, *args: Any, now: datetime, **more: Any) -> None:
        super().__init__(*args, now=now, **more)
        self.fields["until"] = MomentField(now=now, error_messages={"required": HOW})


class WakeForm(Act):
    """Nothing to fill in."""


class ReasonForm(Act):
    """Closing and reopening by hand need a reason."""

    reason = forms.CharField(max_length=2_000, error_messages={"required": "Give a reason."})


class TeamForm(forms.Form):
    """Which team owns a schedule; empty is nobody."""

    team = forms.CharField(max_length=150, required=False)

    def clean_team(self) -> str | None:
        """A team that there is, or None."""
        name = self.cleaned_data["team"]
        if name and not Team.objects.filter(name=name).exists():
            raise forms.ValidationError("There is no such team: an admin makes it under People.")
        return name or None


class RecoveryForm(forms.Form):
    """What a second run of a schedule would do, and whether operators may decide."""

    effect_class = forms.ChoiceField(
        choices=[(name, name) for name in EFFECT_CLASSES],
        error_messages={"required": "Choose an effect class.", "invalid_choice": "Choose an effect class."},
    )
    operators_may_decide = forms.BooleanField(required=False)


class PolicyForm(forms.Form):
    """One version of a claim-age policy; every allowance in seconds."""

    scope = forms.ChoiceField(choices=[(scope, scope) for scope in SCOPES])
    target = forms.CharField(max_length=600, required=False)
    reason = forms.CharField(max_length=2_000, error_messages={"required": "A version needs a reason."})
    rejudge = forms.BooleanField(required=False)

    def __init__(self, *args: Any, now: datetime, **more: Any) -> None:
        super().__init__(*args, **more)
        self.now = now
        self.fields["effective_from"] = MomentField(now=now, required=False)
        for name in ALLOWANCES:
            self.fields[name] = forms.FloatField(
                min_value=0, max_value=A_YEAR, required=name != "expires", error_messages=_named(name)
            )

    def clean_expires(self) -> float | None:
        """Above zero, or never."""
        value: float | None = self.cleaned_data["expires"]
        if value == 0:
            raise forms.ValidationError("expires: leave it empty for never; zero would expire everything at once.")
        return value

    def clean(self) -> dict[str, Any]:
        """A scope narrower than all names its target, and all has none."""
        said = super().clean() or self.cleaned_data
        if "scope" in said and (said["scope"] == "all") is bool(said.get("target")):
            self.add_error("target", "The scope all has no target; every other scope needs one.")
        return said

    def version(self) -> dict[str, Any]:
        """The checked values as the service takes them."""
        said = self.cleaned_data
        return {
            "scope": said["scope"],
            "target": said["target"],
            "seconds": {name: said[name] for name in ALLOWANCES},
            "effective_from": said["effective_from"] or self.now,
            "reason": said["reason"],
            "rejudge": said["rejudge"],
        }


def _named(name: str) -> dict[str, str]:
    text = f"{name}: a number of seconds from 0 to {A_YEAR}."
    return {"required": text, "invalid": text, "min_value": text, "max_value": text}
