"""Language of mails and pages."""

from typing import Literal

Language = Literal["en", "de"]

_LANGUAGES: dict[str, Language] = {"de": "de", "en": "en"}
_LONGEST = 200


def language_of(wanted: str | None, accepted: str) -> Language:
    """Return the requested language, else the first supported one the browser accepts, else
    English.
    """
    if wanted in _LANGUAGES:
        return _LANGUAGES[wanted]
    for part in accepted[:_LONGEST].lower().split(","):
        name = part.split(";")[0].strip().split("-")[0]
        if name in _LANGUAGES:
            return _LANGUAGES[name]
    return "en"
