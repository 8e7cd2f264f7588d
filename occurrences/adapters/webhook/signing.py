"""The signature of a webhook: the Standard Webhooks scheme, version 1 (HMAC-SHA256, symmetric).

Signed is `id.timestamp.body`. While a secret is exchanged each request carries one signature for each secret.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from occurrences.adapters.settings import BadSetting

SETTING = "AGLET_WEBHOOK_SECRETS"
PREFIX = "whsec_"
SHORTEST, LONGEST = 24, 64
MOST = 2


def read_secrets(text: str) -> tuple[bytes, ...]:
    """Read one secret, or the new and the old one with a space between; raises BadSetting."""
    words = text.split()
    if not 1 <= len(words) <= MOST:
        raise BadSetting(SETTING, "one secret for the source, or two while it is exchanged (new, space, old)")
    return tuple(_read(word) for word in words)


def signed_headers(secrets: Sequence[bytes], *, message_id: UUID, at: datetime, body: bytes) -> dict[str, str]:
    """The three headers of one request."""
    timestamp = str(int(at.timestamp()))
    signed = b".".join((str(message_id).encode(), timestamp.encode(), body))
    return {
        "webhook-id": str(message_id),
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(_signature(secret, signed) for secret in secrets),
    }


def _signature(secret: bytes, signed: bytes) -> str:
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()


def _read(word: str) -> bytes:
    try:
        if not word.startswith(PREFIX):
            raise ValueError
        secret = base64.b64decode(word.removeprefix(PREFIX), validate=True)
    except (ValueError, binascii.Error):
        raise BadSetting(SETTING, f"a secret is {PREFIX} and base64") from None
    if not SHORTEST <= len(secret) <= LONGEST:
        raise BadSetting(SETTING, f"a secret has {SHORTEST} to {LONGEST} bytes")
    return secret
