from django.apps import AppConfig


class OccurrencesConfig(AppConfig):
    name = "occurrences"
    default_auto_field = "django.db.models.BigAutoField"
