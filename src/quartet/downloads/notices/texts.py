"""The texts of notifications in both languages."""

from quartet.downloads.notices.types import Language, Notification, Occasion

TITLE: dict[Language, str] = {"en": "Downloads", "de": "Downloads"}
MORE: dict[Language, str] = {"en": "and {count} more", "de": "und {count} weitere"}
TEST: dict[Language, str] = {"en": "This is a test.", "de": "Dies ist ein Test."}

_TEXTS: dict[Occasion, dict[Language, str]] = {
    "finished": {"en": "Finished: {name}", "de": "Fertig: {name}"},
    "failed": {"en": "Failed: {name} ({reason})", "de": "Fehlgeschlagen: {name} ({reason})"},
    "captcha": {"en": "A question waits: {name}", "de": "Eine Frage wartet: {name}"},
    "disk_full": {
        "en": "The disk is full; paused: {name}",
        "de": "Der Datenträger ist voll; angehalten: {name}",
    },
}


def line(notification: Notification, language: Language) -> str:
    return _TEXTS[notification.occasion][language].format(
        name=notification.name, reason=notification.reason
    )
