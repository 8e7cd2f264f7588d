from django.apps import AppConfig


class OccurrencesConfig(AppConfig):
    name = "occurrences"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the check of the settings about targets."""
        from occurrences.adapters import settings_check  # noqa: F401
