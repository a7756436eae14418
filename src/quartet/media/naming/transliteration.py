"""Transliterates letters with accents and of other scripts to ASCII."""

# ruff: noqa: RUF001 - letters that look alike are the very subject here

import unicodedata

_LATIN = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
    "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ł": "l", "Ł": "L",
    "ı": "i", "ħ": "h", "Ħ": "H", "ŋ": "ng", "Ŋ": "Ng", "–": "-", "—": "-", "‘": "'", "’": "'",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "…": "...", "·": "-", "×": "x",
}  # fmt: skip
_GERMAN = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
_CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ё": "yo", "ж": "zh", "з": "z",
    "и": "i", "й": "y", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r",
    "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh",
    "щ": "shch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya", "і": "i", "ї": "yi",
    "є": "ye", "ґ": "g",
}  # fmt: skip
_GREEK = {
    "α": "a", "β": "v", "γ": "g", "δ": "d", "ε": "e", "ζ": "z", "η": "i", "θ": "th", "ι": "i",
    "κ": "k", "λ": "l", "μ": "m", "ν": "n", "ξ": "x", "ο": "o", "π": "p", "ρ": "r", "σ": "s",
    "ς": "s", "τ": "t", "υ": "y", "φ": "f", "χ": "ch", "ψ": "ps", "ω": "o",
}  # fmt: skip
_LOWER = _CYRILLIC | _GREEK
_LETTERS = _LATIN | _LOWER | {letter.upper(): text.capitalize() for letter, text in _LOWER.items()}


def strip_marks(text: str) -> str:
    """Turn `Amélie` into `Amelie`; other scripts are kept."""
    decomposed = unicodedata.normalize("NFD", text)
    bare = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    return unicodedata.normalize("NFC", bare)


def to_latin(text: str) -> str:
    """Replace letters of other alphabets by Latin ones; German umlauts become two letters."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(
        _GERMAN.get(character) or _LETTERS.get(character, character) for character in text
    )
    return strip_marks(text)


def to_ascii(text: str) -> str:
    """Drop characters that have no ASCII equivalent."""
    plain = "".join(
        _LETTERS.get(character, character) for character in unicodedata.normalize("NFC", text)
    )
    return unicodedata.normalize("NFKD", strip_marks(plain)).encode("ascii", "ignore").decode()
