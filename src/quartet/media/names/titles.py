"""Cleans up the part of a name that contains the title."""

# ruff: noqa: RUF001 - letters and brackets of other scripts are meant.

import re

import msgspec

from quartet.media.names.tables.numbering import COUNTRIES, PARTS

# Everything `str.strip` removes by default, including control characters such as 0x1F.
WHITESPACE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
EDGES = WHITESPACE + "-–—‒_.,:;+&~/|★☆=#"
OPENING = "[({【（［《"
PAIRS = {"]": "[", ")": "(", "}": "{", "】": "【", "）": "（", "］": "［", "》": "《"}
BRACKET = re.compile(r"[\[\](){}【】（）［］《》]")
# For plain ASCII this is twice as fast.
PLAIN_BRACKET = re.compile(r"[\[\](){}]")
ACRONYM = re.compile(
    r"(?<![^\W_])(?:(?:[^\W\d_]\.){2,}(?:[^\W\d_](?![^\W_]))?|[^\W\d_]\.[^\W\d_]$)"
)
ACRONYM_AT_END = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}$")
SPACES = re.compile(r"[\s_]+")
FOREIGN = re.compile(r"[\u0370-\u1fff\u2e80-\u9fff\ua960-\ud7ff\uf900-\ufaff\uff66-\uff9f]")
LATIN = re.compile(r"[A-Za-zÀ-ɏ]{2}")
SLASH = re.compile(r"\s*/\s*")
# `原題 Title`: words in another script, then at least one Latin word.
TWO_SCRIPTS = re.compile(
    r"^(.*[\u0370-\u1fff\u2e80-\u9fff\ua960-\ud7ff][^\sA-Za-z]*)[\s.(\[]+([A-Za-z].*)$", re.S
)
# Not a title without the words before it.
LAST_SEASON = re.compile(r"(?:the )?(?:final|last|\w+) season$", re.I)
# Two words or a long one: `(US)` and `(TV)` belong to the title.
SECOND = re.compile(r"([^()]+?)[\s.]*\(([^()]+[\s.][^()]+|[^\W\d_]{6,})\)$")
# `Saga-f03-Title` is the third movie of a saga, `Title-x02-Making of` its second extra.
EXTRA = re.compile(r"(?<=\w)-[fx]\d\d(?=-|$)")
FILM = re.compile(r".+?-f\d\d-")
COUNTRY = re.compile(r"[\s._]\(?([A-Z]{2})\)?$")
# A pay-per-view event: `Harbour Fight 12 PPV One vs Two`.
PAID = re.compile(r"(?<=[\s._])PPV[\s._]+(?=[^\W_])")
# `Show (US) - Name of the Episode S02E09`
COUNTRY_INSIDE = re.compile(r" \(([A-Z]{2})\) - ")


# `Title 剧场版` is a movie of a series.
MOVIE_MARK = re.compile(r"\s*[\[(]?(?:剧场版|劇場版|극장판)[\])]?$")


class Title(msgspec.Struct, frozen=True, gc=False):
    text: str | None
    others: tuple[str, ...] = ()


def clean(piece: str) -> str:
    text = piece.strip(EDGES)
    if text.isalnum():
        return text
    bracketed = bool((PLAIN_BRACKET if text.isascii() else BRACKET).search(text))
    trimmed = text = without_unbalanced_brackets(text) if bracketed else text
    if "_" in text or "  " in text:
        text = SPACES.sub(" ", text)
    if "." in text and (
        " " not in text or (". " not in text and text.count(".") > text.count(" ") + 1)
    ):
        text = without_dots(text)
    if bracketed or text is not trimmed:
        text = trim(text)
    if text[-5:].lower() == ", the":
        return f"{text[-3:]} {text[:-5]}"
    return with_last_dot(text, piece) if text[-2:-1] == "." else text


def with_last_dot(text: str, piece: str) -> str:
    """Keep the last dot of `Agents of S.H.I.E.L.D.` and of `12.00 A.M.`."""
    dotted = text + "."
    return dotted if ACRONYM_AT_END.search(dotted) and f"{text[-3:]}." in piece[-8:] else text


def without_dots(text: str) -> str:
    if 1 not in map(len, text.split(".")):
        return " ".join(text.replace(".", " ").replace("_", " ").split())
    kept = ACRONYM.sub(lambda match: match[0].replace(".", "\0") + " ", text)
    kept = kept.replace("\0 -", "\0-") if " " not in text else kept
    return SPACES.sub(" ", kept.replace(".", " ")).replace("\0", ".").strip()


def trim(text: str) -> str:
    """Remove punctuation at the edges and unbalanced brackets."""
    text = text.strip(EDGES)
    return without_unbalanced_brackets(text) if BRACKET.search(text) else text


def without_unbalanced_brackets(text: str) -> str:
    while text and text[-1] in OPENING:
        text = text[:-1].rstrip(EDGES)
    for close, opening in PAIRS.items():
        if text.endswith(close) and opening not in text:
            text = text[:-1].rstrip(EDGES)
        if text.startswith(opening) and close not in text:
            text = text[1:].lstrip(EDGES)
    marks = list(BRACKET.finditer(text))
    if marks and marks[-1].start() > 0 and marks[-1][0] in OPENING:
        text = text[: marks[-1].start()].rstrip(EDGES)
    if text.endswith("]") and (opened := text.rfind("[")) > 0:
        text = text[:opened].rstrip(EDGES)
    wrapped = len(text) > 2 and PAIRS.get(text[-1]) == text[0] and text.count(text[0]) == 1
    return text[1:-1].strip(EDGES) if wrapped else text


def read(piece: str) -> Title:
    """Read a title, preferring a Latin one next to another script."""
    if ("-x" in piece or "-f" in piece) and EXTRA.search(piece):
        piece = FILM.sub("", piece.split("-x", 1)[0])
    piece = PAID.sub("", piece) if "PPV" in piece else piece
    if " / " in piece and "(" in piece:
        piece = piece[: piece.index("(", 1)] if piece.find("(", 1) > piece.index(" / ") else piece
    # Replacement for ` | ` where that is not allowed: `Title _ Channel`.
    if " _ " in piece and " _ " in piece.strip(EDGES):
        piece = piece.split(" _ ", 1)[0]
    if piece.isascii() or not FOREIGN.search(piece):
        return split_second_title(clean(piece))
    parts = [clean(part) for part in SLASH.split(piece)]
    parts = [part for part in parts if part]
    latin = [part for part in parts if LATIN.search(part) and not FOREIGN.search(part)]
    if latin and len(latin) < len(parts):
        others = tuple(part for part in parts if part not in latin)
        return Title(" / ".join(latin), others)
    if len(parts) > 1 and not latin:
        # The translated title comes first, the original last.
        return Title(parts[-1], tuple(parts[:-1]))
    text = MOVIE_MARK.sub("", clean(piece))
    both = TWO_SCRIPTS.match(text)
    generic = both and LAST_SEASON.match(both[2])
    if both and not generic and LATIN.search(both[2]) and not FOREIGN.search(both[2]):
        return Title(clean(both[2]), (clean(both[1]),))
    return Title(text or None)


def split_second_title(text: str) -> Title:
    """`Le Prestige (The Prestige)`: the same title in another language, or a person's name."""
    first, dash, last = text.rpartition(" - ")
    if dash and last.isupper() and last.lower() == initials(first):
        return Title(first, (last,))
    match = SECOND.match(text) if text.endswith(")") else None
    if match and match[1].lower() == initials(match[2]):
        return Title(text, (match[1], match[2]))
    # `Quiet Harbour (Part 2)` has no second title.
    if match and match[2].lower().split()[0] in PARTS:
        return Title(text)
    if match and not match[1].lower().endswith((" or", " ou", " oder")):
        return Title(clean(match[1]), (clean(match[2]),))
    return Title(text or None)


def initials(title: str) -> str:
    """`Quiet Harbour Tales` is also called `QHT`."""
    return "".join(word[0] for word in title.lower().split())


def split_country(title: str) -> tuple[str, str | None]:
    """Split `The Office US` into `The Office` and `US`."""
    last = title[-1]
    match = None
    if last == ")" or last.isupper():
        match = COUNTRY.search(title, max(0, len(title) - 5))
    if not match and ") - " in title:
        match = COUNTRY_INSIDE.search(title)
    if match and match[1] in COUNTRIES and (rest := clean(title[: match.start()])):
        return rest, match[1]
    return title, None
