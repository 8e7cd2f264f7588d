"""People, groups and teams under /admin/, for admins only. Everything else has its own screens."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone

from occurrences.contract.permissions import ADMIN, ROLES
from occurrences.models import Team
from occurrences.services import audit

admin.site.site_header = admin.site.site_title = "Aglet Recovery: people, groups and teams"
admin.site.index_title = "Admins only"
admin.site.unregister([User, Group])


class Audited:
    """Writes each change into the audit chain, beside Django's own log."""

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """An object was added."""
        _write(request, obj, "added")
        return super().log_addition(request, obj, message)  # type: ignore[misc]

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """An object was changed."""
        _write(request, obj, "changed")
        return super().log_change(request, obj, message)  # type: ignore[misc]

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Objects are about to be deleted."""
        for each in queryset:
            _write(request, each, "deleted")
        return super().log_deletions(request, queryset)  # type: ignore[misc]


def _write(request: HttpRequest, obj: Model, what: str) -> None:
    kind = str(obj._meta.verbose_name)
    by = request.user if isinstance(request.user, User) else request.user.get_username()
    audit.write(by=by, act=f"{kind} {what}", subject=str(obj), now=timezone.now())


@admin.register(User)
class PersonAdmin(Audited, UserAdmin):
    """A person has roles by groups; whoever is in the group of admins may come in here, and nobody else."""

    list_display = ("username", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("May", {"fields": ("is_active", "groups")}),
        ("Known as", {"fields": ("first_name", "last_name", "email")}),
    )

    def save_related(self, request: HttpRequest, form: ModelForm, formsets: Any, change: bool) -> None:
        """The flags that open this place follow the role."""
        super().save_related(request, form, formsets, change)
        person = form.instance
        person.is_staff = person.is_superuser = person.groups.filter(name=ADMIN).exists()
        person.save(update_fields=["is_staff", "is_superuser"])


@admin.register(Group)
class RoleAdmin(Audited, GroupAdmin):
    """A role is a group; Django's own permissions play no part here, and the four roles stay."""

    fields = ("name",)
    readonly_fields = ("name",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There are four roles and no others."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        """The roles stay."""
        return obj is not None and obj.name not in ROLES


@admin.register(Team)
class TeamAdmin(Audited, admin.ModelAdmin):
    """A team owns schedules; its members decide on them as owners."""

    list_display = ("name",)
    search_fields = ("name",)
    filter_horizontal = ("members",)
