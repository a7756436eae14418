"""Chooses the age rating of a movie or series, written as media servers understand it."""

from collections.abc import Mapping

# The country whose ratings the speakers of a language know, if the language names none.
_HOMES = {
    "en": "US", "de": "DE", "fr": "FR", "es": "ES", "it": "IT", "nl": "NL", "pt": "PT", "da": "DK",
    "sv": "SE", "no": "NO", "fi": "FI", "pl": "PL", "cs": "CZ", "hu": "HU", "ru": "RU", "tr": "TR",
    "el": "GR", "ja": "JP", "ko": "KR", "ro": "RO",
}  # fmt: skip


def certification(by_country: Mapping[str, str], language: str) -> str | None:
    """Return the rating of the country of the language, otherwise that of the United States."""
    home = language[3:5] or _HOMES.get(language[:2], "US")
    for country in (home, "US"):
        if given := by_country.get(country):
            return _written(country, given)
    return None


def _written(country: str, given: str) -> str:
    """Ratings of the United States are written without a country, German ones with their board."""
    if country == "US" or given.startswith(("FSK", f"{country}-")):
        return given
    return f"FSK-{given}" if country == "DE" else f"{country}-{given}"
