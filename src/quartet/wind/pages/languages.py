"""In which language a head is written."""

from collections.abc import Sequence

from quartet.wind.pages.head import Language

_LANGUAGES: dict[str, Language] = {"de": "de", "en": "en"}
_LONGEST = 200


def language_of(asked: Sequence[str], accepted: str) -> Language:
    """That of the address, or else the first that a browser names; English for all others."""
    if len(asked) == 1 and asked[0] in _LANGUAGES:
        return _LANGUAGES[asked[0]]
    for part in accepted[:_LONGEST].lower().split(","):
        name = part.split(";")[0].strip().split("-")[0]
        if name in _LANGUAGES:
            return _LANGUAGES[name]
    return "en"
