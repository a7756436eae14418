"""Letters of other scripts and with marks, written with plain ASCII."""

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


def without_marks(text: str) -> str:
    """`Amélie` becomes `Amelie`; scripts stay what they are."""
    apart = unicodedata.normalize("NFD", text)
    bare = "".join(sign for sign in apart if unicodedata.category(sign) != "Mn")
    return unicodedata.normalize("NFC", bare)


def transliterated(text: str) -> str:
    """Latin letters for those of other alphabets; German umlauts become two letters."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(_GERMAN.get(sign) or _LETTERS.get(sign, sign) for sign in text)
    return without_marks(text)


def to_ascii(text: str) -> str:
    """Whatever has no likeness in ASCII is left out."""
    plain = "".join(_LETTERS.get(sign, sign) for sign in unicodedata.normalize("NFC", text))
    return unicodedata.normalize("NFKD", without_marks(plain)).encode("ascii", "ignore").decode()
