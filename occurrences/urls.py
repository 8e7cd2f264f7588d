"""The screens, by prefix."""

from django.urls import path, register_converter

from occurrences.views import frame, inbox, occurrences, people, schedules, work_items
from occurrences.views.addresses import CompactDue, ScheduleKey, SourceName

register_converter(SourceName, "source")
register_converter(ScheduleKey, "schedule_key")
register_converter(CompactDue, "due")

OCCURRENCE = "o/<source:source>/<schedule_key:schedule_key>/<due:due>/"

urlpatterns = [
    path("", inbox.home, name="home"),
    path("inbox/", inbox.show_inbox, name="inbox"),
    path("inbox/poll/", inbox.poll_inbox, name="inbox-poll"),
    path(f"{OCCURRENCE}poll/", occurrences.poll_occurrence, name="occurrence-poll"),
    path(OCCURRENCE, occurrences.show_occurrence, name="occurrence"),
    path("work-items/<int:pk>/", work_items.show_work_item, name="work-item"),
    path("schedules/", schedules.list_schedules, name="schedules"),
    path("sign-in/", people.sign_in, name="sign-in"),
    path("sign-in/<str:token>/", people.sign_in_by_link, name="sign-in-link"),
    path("sign-out/", people.sign_out, name="sign-out"),
    path("account/", people.account, name="account"),
    path("theme/", frame.set_theme, name="theme"),
]
