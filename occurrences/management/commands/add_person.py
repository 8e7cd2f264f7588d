"""manage.py add_person: let somebody in."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from occurrences.queries.clock import database_now
from occurrences.services.people import ROLES, BadName, add_person


class Command(BaseCommand):
    help = "Add a person, or give one another role, and print a sign-in link that works once, for 24 hours."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name to sign in with")
        parser.add_argument("--role", required=True, choices=ROLES)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            token = add_person(name=options["name"], role=options["role"], by="command line", now=database_now())
        except BadName as bad:
            raise CommandError(str(bad)) from bad
        self.stdout.write(settings.BASE_URL + reverse("sign-in-link", args=[token]))
