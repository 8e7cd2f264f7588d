from django.apps import AppConfig


class AgletRecoveryConfig(AppConfig):
    name = "aglet_recovery"

    def ready(self) -> None:
        """Load the Celery application wherever Django runs: the web process wakes the dispatcher through it."""
        from aglet_recovery import celery

        celery.app.set_default()
