"""What a message says, in the language that was chosen."""

from quartet.downloads.notices.types import Language, News, Occasion

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


def line(news: News, language: Language) -> str:
    return _TEXTS[news.occasion][language].format(name=news.name, reason=news.reason)
