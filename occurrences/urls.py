"""The screens, by prefix."""

from django.urls import path, register_converter

from occurrences.views import decisions, frame, inbox, occurrences, people, policies, schedules, sources, work_items
from occurrences.views.addresses import CompactDue, ScheduleKey, SourceName, WorkItemAct

register_converter(SourceName, "source")
register_converter(ScheduleKey, "schedule_key")
register_converter(CompactDue, "due")
register_converter(WorkItemAct, "act")

OCCURRENCE = "o/<source:source>/<schedule_key:schedule_key>/<due:due>/"

urlpatterns = [
    path("", inbox.home, name="home"),
    path("inbox/", inbox.show_inbox, name="inbox"),
    path("inbox/poll/", inbox.poll_inbox, name="inbox-poll"),
    path(f"{OCCURRENCE}poll/", occurrences.poll_occurrence, name="occurrence-poll"),
    path(f"{OCCURRENCE}decisions/", decisions.decide_occurrence, name="decide"),
    path(OCCURRENCE, occurrences.show_occurrence, name="occurrence"),
    path("work-items/<int:pk>/", work_items.show_work_item, name="work-item"),
    path("work-items/<int:pk>/poll/", work_items.poll_work_item, name="work-item-poll"),
    path("work-items/<int:pk>/<act:act>/", work_items.act_on_work_item, name="work-item-act"),
    path("decisions/", decisions.list_decisions, name="decisions"),
    path("schedules/", schedules.list_schedules, name="schedules"),
    path("schedules/<source:source>/<schedule_key:schedule_key>/", schedules.schedule, name="schedule"),
    path("sources/", sources.list_sources, name="sources"),
    path("sources/<source:source>/", sources.show_source, name="source"),
    path("sources/<source:source>/evidence/", sources.show_evidence, name="evidence"),
    path("policies/", policies.list_policies, name="policies"),
    path("policies/new/", policies.new_version, name="policy-new"),
    path("sign-in/", people.sign_in, name="sign-in"),
    path("sign-in/<str:token>/", people.sign_in_by_link, name="sign-in-link"),
    path("sign-out/", people.sign_out, name="sign-out"),
    path("account/", people.account, name="account"),
    path("theme/", frame.set_theme, name="theme"),
]
