"""Languages and flags in the names of subtitles."""

import re

# English and native names as used in subtitle names, and three-letter codes.
_LANGUAGES = {
    "ar": "arabic ara", "bg": "bulgarian bul", "ca": "catalan cat", "cs": "czech cze ces",
    "da": "danish dan dansk", "de": "german ger deu deutsch", "el": "greek gre ell",
    "en": "english eng", "es": "spanish spa espanol español castilian", "et": "estonian est",
    "fa": "persian farsi per fas", "fi": "finnish fin suomi",
    "fr": "french fre fra francais français",
    "he": "hebrew heb", "hi": "hindi hin", "hr": "croatian hrv", "hu": "hungarian hun magyar",
    "id": "indonesian ind", "is": "icelandic ice isl", "it": "italian ita italiano",
    "ja": "japanese jpn", "ko": "korean kor", "lt": "lithuanian lit", "lv": "latvian lav",
    "ms": "malay may msa", "nl": "dutch dut nld nederlands", "no": "norwegian nor norsk",
    "pl": "polish pol polski", "pt": "portuguese por portugues português",
    "ro": "romanian rum ron", "ru": "russian rus", "sk": "slovak slo slk", "sl": "slovenian slv",
    "sr": "serbian srp", "sv": "swedish swe svenska", "th": "thai tha", "tr": "turkish tur",
    "uk": "ukrainian ukr", "vi": "vietnamese vie", "zh": "chinese chi zho mandarin",
}  # fmt: skip
_CODES = {word: code for code, words in _LANGUAGES.items() for word in [code, *words.split()]}
_REGIONS = {
    "brazilian": "pt-BR", "brazil": "pt-BR", "simplified": "zh-Hans", "traditional": "zh-Hant",
    "cantonese": "zh-HK", "canadian": "fr-CA", "latin": "es-419", "latino": "es-419",
}  # fmt: skip
_MARKS = {
    "forced": "forced", "foreign": "forced", "sdh": "sdh", "cc": "cc", "default": "default",
    "commentary": "commentary",
}  # fmt: skip
_REGION_CODE = re.compile(r"(?<![a-z])([a-z]{2,3})-([A-Z]{2}|[A-Z][a-z]{3}|419)(?![A-Za-z])")


def subtitle_tags(stem: str) -> str:
    """Return `.en.forced` for `3_English_Forced`; empty if nothing is recognised."""
    words = [word for word in re.split(r"[\W_\d]+", stem.casefold()) if word]
    language = _language(stem, words)
    tags = [language] if language else []
    # `hi` also means Hindi; next to another language it means hearing impaired.
    if language and language != "hi" and "hi" in words:
        tags.append("hi")
    tags += dict.fromkeys(_MARKS[word] for word in words if word in _MARKS)
    return "".join(f".{tag}" for tag in tags)


def _language(stem: str, words: list[str]) -> str | None:
    region = _REGION_CODE.search(stem)
    if region and region[1] in _CODES:
        return region[0]
    found = next((_CODES[word] for word in words if word in _CODES and word != "hi"), None)
    regional = next((_REGIONS[word] for word in words if word in _REGIONS), None)
    if regional and found in (None, regional[:2]):
        return regional
    return found or ("hi" if "hi" in words else None)
