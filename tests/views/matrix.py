"""The table of who may do what: one row for each route, and for each way in which it answers differently.

One letter for each of WHO: `o` here it is, `t` taken (303), `r` onward, `s` to the sign-in page, `u` unauthorized,
`f` forbidden, `i` input refused, `n` not found, `m` method not allowed. What a row does not name is `m`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote

from occurrences.models import Schedule, WorkItem
from occurrences.queries.clock import database_now
from occurrences.queries.pages.addresses import address_of, address_of_schedule
from tests.builders import BILLING, Night
from tests.views.clients import draft

WHO = ("anonymous", "viewer", "operator", "owner", "other owner", "admin", "source key")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
ALL, READERS, NOBODY = "ooooooo", "sooooos", "mmmmmmm"
ISLAND = {"HX-Request": "true"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One address with what is sent to it, and the answer for each method; `before` makes a state first."""

    path: str
    answers: dict[str, str]
    data: dict[str, object] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    before: Callable[[], object] = lambda: None
    about: str = ""
    other: str = NOBODY

    def expected(self, method: str) -> str:
        return self.answers.get(method, self.other)


def read(path: str, letters: str = READERS, **more: object) -> Row:
    answers = {"GET": letters, "HEAD": letters} | more.pop("answers", {})  # type: ignore[operator]
    return Row(path=path, answers=answers, **more)  # type: ignore[arg-type]


def table(night: Night, token: str) -> list[Row]:
    return [*_open(token), *_screens(night), *_decide(night), *_work_items(), *_schedule(), *_policies(), *_api(night)]


def _open(token: str) -> Iterator[Row]:
    yield read("/healthz", ALL)
    yield read("/readyz", ALL)
    yield read("/", "rrrrrrr")
    yield read("/sign-in/", "orrrrro", answers={"POST": "irrrrri"})
    yield read(f"/sign-in/{token}/", ALL, answers={"POST": "rrrrrrr"})
    yield Row(path="/sign-out/", answers={"POST": "sssssss"})
    yield Row(path="/theme/", answers={"POST": "rrrrrrr"}, data={"theme": "dark"})
    yield read("/account/", answers={"POST": "siiiiis"})


def _screens(night: Night) -> Iterator[Row]:
    here = address_of(night.identity("invoice-rollup"))
    item = WorkItem.objects.get(verdict="missing-tick", closed_at=None).pk
    sources = ("/sources/", f"/sources/{BILLING}/", f"/sources/{BILLING}/evidence/")
    for path in ("/inbox/", "/decisions/", "/schedules/", *sources, "/policies/", here, f"/work-items/{item}/"):
        yield read(path)
    for path in ("/inbox/poll/", f"{here}poll/", f"/work-items/{item}/poll/"):
        yield read(path, "srrrrrs")
        yield Row(path=path, answers={"GET": "uooooou", "HEAD": "uooooou"}, headers=ISLAND, about="htmx")
    for path in (here.replace("00Z", "01Z"), "/work-items/99999999/", f"/schedules/{BILLING}/none/"):
        answers = {"POST": "snnnnns"} if path.startswith("/schedules") else {}
        yield read(path, "snnnnns", answers=answers, about="unknown")


def _decide(night: Night) -> Iterator[Row]:
    path = address_of(night.identity("invoice-rollup")) + "decisions/"
    for choice in ("replay", "skip"):
        sent = draft(night, choice=choice)
        yield read(path, "srrrrrs", answers={"POST": "sftttfs"}, data=sent, about=choice)
        closed = {"POST": "sfftffs"}
        yield Row(path=path, answers=closed | READ_ON, data=sent, before=_owners_only, about=f"{choice}, owners only")
        free = {"POST": "sftttts"}
        yield Row(path=path, answers=free | READ_ON, data=sent, before=_unowned, about=f"{choice}, nobody owns")
    yield read(path, "srrrrrs", answers={"POST": "sfiiifs"}, about="empty")


READ_ON = {"GET": "srrrrrs", "HEAD": "srrrrrs"}


def _owners_only() -> None:
    Schedule.objects.update(operators_may_decide=False)


def _unowned() -> None:
    Schedule.objects.update(team=None)


def _closed() -> None:
    WorkItem.objects.filter(verdict="missing-tick").update(closed_at=database_now(), closed_as="by hand")


def _work_items() -> Iterator[Row]:
    item = WorkItem.objects.get(verdict="missing-tick", closed_at=None).pk
    acts: dict[str, dict[str, object]] = {
        "assign": {"owner": "otto"},
        "priority": {"priority": "1"},
        "next-decision": {"text": "replay?"},
        "comment": {"text": "words"},
        "snooze": {"until": "2099-01-01T00:00Z"},
        "wake": {},
        "close": {"reason": "done"},
    }
    for act, sent in acts.items():
        yield Row(path=f"/work-items/{item}/{act}/", answers={"POST": "sftttts"}, data=sent)
    reopen = f"/work-items/{item}/reopen/"
    yield Row(path=reopen, answers={"POST": "sftttts"}, data={"reason": "back"}, before=_closed)
    yield Row(path=f"/work-items/{item}/comment/", answers={"POST": "sfiiiis"}, about="empty")
    yield Row(path="/work-items/99999999/wake/", answers={"POST": "sfnnnns"}, about="unknown")


def _schedule() -> Iterator[Row]:
    path = address_of_schedule(BILLING, "invoice-rollup")
    team, classes = {"do": "team", "team": "Search"}, {"do": "recovery", "effect_class": "keyed"}
    yield read(path, answers={"POST": "sffffts"}, data=team, about="team")
    yield read(path, answers={"POST": "sfftffs"}, data=classes, about="effect class")
    yield read(path, answers={"POST": "sffffts"}, data=classes, before=_unowned, about="effect class, nobody owns")
    yield read(path, answers={"POST": "sfffffs"[:5] + "is"}, data={"do": "team", "team": "none"}, about="no such team")


def _policies() -> Iterator[Row]:
    names = ("tick", "enqueue", "ready", "claim", "start", "run", "readback", "fold")
    sent: dict[str, object] = dict.fromkeys(names, 60) | {"scope": "all", "reason": "tighter", "rejudge": "on"}
    yield read("/policies/new/", "sffffos", answers={"POST": "sffffts"}, data=sent)
    yield read("/policies/new/", "sffffos", answers={"POST": "sffffis"}, about="empty")


def _api(night: Night) -> Iterator[Row]:
    yield Row(path="/api/v1/records", answers={"POST": "uuuuuui"})
    mine = quote(str(night.identity("invoice-rollup")))
    yield Row(path=f"/api/v1/path?identity={mine}", answers={"GET": "uoooooo"})
    other = quote(str(night.identity("late-arrival", source="celery:mail")))
    yield Row(path=f"/api/v1/path?identity={other}", answers={"GET": "uooooon"}, about="another source")
    # The description of the interface holds no data and is open; it asks for no method.
    yield Row(path="/api/openapi.json", answers={}, other=ALL)
    yield Row(path="/api/docs", answers={}, other=ALL)
    yield Row(path="/api/", answers={}, other="nnnnnnn")
