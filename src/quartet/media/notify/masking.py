"""Masks secrets in responses, and restores masked ones from requests."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from quartet.kernel.errors import AppError
from quartet.kernel.notifications import MASK, mask_url
from quartet.kernel.notifier import restore_url
from quartet.media.notify.types import MediaServer, Notification, Notifications, Webhook
from quartet.media.secret_mask import CLEAR, mask

T = TypeVar("T")
Addressed = TypeVar("Addressed", Webhook, MediaServer)


def masked(value: Notifications) -> Notifications:
    return Notifications(
        notifications=[replace(one, url=mask_url(one.url)) for one in value.notifications],
        webhooks=[
            replace(one, token=mask(one.token), signing_key=mask(one.signing_key))
            for one in value.webhooks
        ],
        servers=[replace(one, token=mask(one.token)) for one in value.servers],
        scripts=value.scripts,
    )


def merged(given: Notifications, kept: Notifications) -> Notifications:
    """Restore the saved secrets where the request has masked ones."""
    return Notifications(
        notifications=[_notification(one, kept.notifications) for one in given.notifications],
        webhooks=[
            _with_key(_with_token(one, kept.webhooks), kept.webhooks) for one in given.webhooks
        ],
        servers=[_with_token(one, kept.servers) for one in given.servers],
        scripts=given.scripts,
    )


def _notification(given: Notification, kept: Sequence[Notification]) -> Notification:
    return replace(given, url=restore_url(given.url, (one.url for one in kept)))


def _with_token(given: Addressed, kept: Sequence[Addressed]) -> Addressed:
    # A secret is only kept for the address it was saved with.
    old = _first(one for one in kept if one.url == given.url)
    return replace(given, token=_kept(given.token, old.token if old else ""))


def _with_key(given: Webhook, kept: Sequence[Webhook]) -> Webhook:
    old = _first(one for one in kept if one.url == given.url)
    return replace(given, signing_key=_kept(given.signing_key, old.signing_key if old else ""))


def _kept(given: str, old: str) -> str:
    if given.strip() == CLEAR:
        return ""
    if given.strip() and MASK not in given:
        return given.strip()
    if given.strip() and mask(old) != given.strip():
        raise AppError(400, "secret_unknown", name="")
    return old


def _first(found: Iterable[T]) -> T | None:
    return next(iter(found), None)
