"""Detects the template by which the files of a library were named."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from quartet.media.naming.types import Detected
from quartet.media.roots.file_kinds import VIDEOS

_MOST_FILES = 200
_SEASON_FOLDER = re.compile(r"(season|staffel|saison|series|s)([ ._]?)(\d+)", re.IGNORECASE)
_NUMBERS = re.compile(r"S(\d{1,4})E\d{2,4}(-?E\d{2,4})*|(\d{1,2})x\d{2,3}(-\d{1,2}x\d{2,3})*", re.I)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_YEAR = re.compile(r"(?P<gap>[ ._-]*)(?P<open>[(\[]?)\b(19|20)\d{2}\b(?P<close>[)\]]?)")
# Each pattern with its token; the group is the prefix to keep.
_IDS = (
    (re.compile(r"\b(tmdb(?:id)?[-=])\d+"), "tmdb"),
    (re.compile(r"\b(tvdb(?:id)?[-=])\d+"), "tvdb"),
    (re.compile(r"\b(imdb(?:id)?[-=])?tt\d{5,}"), "imdb"),
)
_DETAILS = (
    (re.compile(r"\b\d{3,4}[pi]\b"), "vf"),
    (re.compile(r"\b(BluRay|Blu-ray|WEB-DL|WEBRip|WEB|HDTV|DVD|Remux)\b", re.I), "source"),
    (re.compile(r"\b([xh]\.?26[45]|HEVC|AVC|AV1|XviD)\b", re.I), "vc"),
    (re.compile(r"\b(DTS-HD|DTS|TrueHD|AAC|AC3|FLAC|EAC3|DDP?)\b"), "ac"),
    (re.compile(r"\b(HDR10\+?|HDR|DV|HLG)\b"), "hdr"),
)
_EDITION = re.compile(r"(?<=\{edition-)[^{}]+(?=\})")


def detect(paths: Iterable[str]) -> Detected | None:
    """Return the most common template of the videos; None if there are none."""
    found: Counter[tuple[str, str]] = Counter()
    for path in paths:
        if PurePosixPath(path).suffix[1:].casefold() in VIDEOS:
            found[_template(PurePosixPath(path).with_suffix(""))] += 1
        if found.total() >= _MOST_FILES:
            break
    if not found:
        return None
    (kind, template), agreed = max(found.items(), key=lambda item: (item[1], len(item[0][1])))
    return Detected("movie" if kind == "movie" else "series", template, found.total(), agreed)


def _template(path: PurePosixPath) -> tuple[str, str]:
    is_episode = bool(_NUMBERS.search(path.name) or _DATE.search(path.name))
    folders = [_folder_template(name) for name in path.parts[:-1] if name not in ("/", "..", ".")]
    name = _episode_template(path.name) if is_episode else _title_template(path.name)
    return ("series" if is_episode else "movie"), "/".join([*folders, name])


def _folder_template(name: str) -> str:
    if season := _SEASON_FOLDER.fullmatch(name):
        number = "{s00}" if len(season[3]) > 1 else "{s}"
        return f"{season[1]}{season[2]}{number}"
    return _title_template(name)


def _episode_template(name: str) -> str:
    numbers = _NUMBERS.search(name) or _DATE.search(name)
    if numbers is None:
        return _title_template(name)
    token = "{d}" if numbers.re is _DATE else _numbers_token(numbers[0])
    before, after = name[: numbers.start()], name[numbers.end() :]
    gap = re.search(r"[ ._-]*$", before)
    separator = gap[0] if gap else ""
    title = _title_template(before[: len(before) - len(separator)]) if before else ""
    return f"{title}{_escaped(separator)}{token}{_after_numbers(after)}"


def _numbers_token(text: str) -> str:
    if "x" in text.lower() and not text.lower().startswith("s"):
        return "{sxe}"
    return "{s00e00|lower}" if text.startswith("s") else "{s00e00}"


def _after_numbers(rest: str) -> str:
    """The episode's title, then details in brackets or after it."""
    starts = [found.start() for pattern, _ in _DETAILS if (found := pattern.search(rest))]
    bracket = re.search(r"[ ._-]*[\[({]", rest)
    starts += [bracket.start()] if bracket else []
    end = min(starts, default=len(rest))
    title, details = rest[:end], rest[end:]
    gap = re.match(r"[ ._-]*", title)
    separator = gap[0] if gap else ""
    words = title[len(separator) :].rstrip(" ._-")
    trailing = title[len(separator) + len(words) :] if words else title
    shown = f"{{?t}}{_escaped(separator)}{_title_token('t', words)}{{/}}" if words else ""
    return f"{shown}{_escaped(trailing)}{_tokens(details)}" if details else shown


def _title_template(text: str) -> str:
    """A title, then the year and other recognised values."""
    year = _YEAR.search(text, 1)
    starts = [found.start() for pattern, _ in (*_IDS, *_DETAILS) if (found := pattern.search(text))]
    bracket = re.search(r"[ ._-]*[\[({]", text)
    starts += [bracket.start()] if bracket else []
    end = min([*starts, year.start() if year else len(text)])
    title = text[:end].rstrip(" ._-")
    return _title_token("n", title) + _tokens(text[len(title) :])


def _title_token(token: str, words: str) -> str:
    """Keep dots or underscores instead of spaces."""
    if " " not in words:
        for character in "._":
            if character in words:
                return f"{{{token}|space:'{character}'}}"
    return f"{{{token}}}"


def _tokens(text: str) -> str:
    """Replace known values by tokens and keep the rest."""
    places: list[tuple[int, int, str]] = []
    if year := _YEAR.search(text):
        gap, opening, closing = year["gap"], year["open"], year["close"]
        places.append((*year.span(), f"{{?y}}{_escaped(gap + opening)}{{y}}{closing}{{/}}"))
    for pattern, token in _IDS:
        if found := pattern.search(text):
            places.append((*found.span(), f"{found[1] or ''}{{{token}}}"))
    if edition := _EDITION.search(text):
        places.append((*edition.span(), "{edition}"))
    for pattern, token in _DETAILS:
        if found := pattern.search(text):
            places.append((*found.span(), f"{{{token}}}"))
    made, at = "", 0
    for start, end, shown in sorted(places):
        if start >= at:
            made += _escaped(text[at:start]) + shown
            at = end
    return made + _escaped(text[at:])


def _escaped(text: str) -> str:
    return re.sub(r"[\\{}]", lambda character: f"\\{character[0]}", text)
