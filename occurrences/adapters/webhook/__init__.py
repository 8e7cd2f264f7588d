"""Replays through a signed HTTP request to a receiver that the admin has listed."""

from occurrences.adapters.webhook.target import WebhookTarget

__all__ = ["WebhookTarget"]
