"""Secrets are never shown whole; what comes back as it was shown stays as it is."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from quartet.kernel.errors import AppError
from quartet.kernel.notices import HIDDEN as _HIDDEN
from quartet.kernel.notices import masked as mask_url
from quartet.media.notify.types import MediaServer, Notification, Notifications, Webhook

_CLEAR = "-"

T = TypeVar("T")


def masked(value: Notifications) -> Notifications:
    return Notifications(
        notifications=[replace(one, url=mask_url(one.url)) for one in value.notifications],
        webhooks=[replace(one, token=_mask(one.token)) for one in value.webhooks],
        servers=[replace(one, token=_mask(one.token)) for one in value.servers],
    )


def merged(given: Notifications, kept: Notifications) -> Notifications:
    """The secrets of before where they were sent as they are shown."""
    return Notifications(
        notifications=[_notification(one, kept.notifications) for one in given.notifications],
        webhooks=[_webhook(one, kept.webhooks) for one in given.webhooks],
        servers=[_server(one, kept.servers) for one in given.servers],
    )


def _notification(given: Notification, kept: Sequence[Notification]) -> Notification:
    if _HIDDEN not in given.url:
        return given
    old = _first(one for one in kept if mask_url(one.url) == given.url)
    if old is None:
        raise AppError(400, "secret_unknown", name=given.name)
    return replace(given, url=old.url)


def _webhook(given: Webhook, kept: Sequence[Webhook]) -> Webhook:
    # A secret never goes to another address than the one it was given for.
    old = _first(one for one in kept if one.url == given.url)
    return replace(given, token=_kept(given.token, old.token if old else ""))


def _server(given: MediaServer, kept: Sequence[MediaServer]) -> MediaServer:
    old = _first(one for one in kept if one.url == given.url)
    return replace(given, token=_kept(given.token, old.token if old else ""))


def _kept(given: str, old: str) -> str:
    if given.strip() == _CLEAR:
        return ""
    if given.strip() and _HIDDEN not in given:
        return given.strip()
    if given.strip() and _mask(old) != given.strip():
        raise AppError(400, "secret_unknown", name="")
    return old


def _mask(secret: str) -> str:
    """Enough to tell two apart; of a short one nothing."""
    if not secret:
        return ""
    return f"{secret[:4]}{_HIDDEN}{secret[-4:]}" if len(secret) >= 16 else _HIDDEN


def _first(found: Iterable[T]) -> T | None:
    return next(iter(found), None)
