"""The texts of notifications in both languages."""

from collections.abc import Sequence

from quartet.downloads.notices.types import Notification, Occasion
from quartet.kernel.notifier import Language

TITLES: dict[Language, str] = {"en": "Downloads", "de": "Downloads"}

_TEXTS: dict[Occasion, dict[Language, str]] = {
    "finished": {"en": "Finished: {name}", "de": "Fertig: {name}"},
    "failed": {"en": "Failed: {name} ({reason})", "de": "Fehlgeschlagen: {name} ({reason})"},
    "captcha": {"en": "Captcha waiting: {name}", "de": "Captcha wartet: {name}"},
    "disk_full": {
        "en": "Disk full, paused: {name}",
        "de": "Datenträger voll, pausiert: {name}",
    },
}


def page_of(notifications: Sequence[Notification]) -> str:
    """Return the page that opens with a message: the captchas, because they expire."""
    return "/captchas" if any(each.occasion == "captcha" for each in notifications) else "/"


def line(notification: Notification, language: Language) -> str:
    return _TEXTS[notification.occasion][language].format(
        name=notification.name, reason=notification.reason
    )
