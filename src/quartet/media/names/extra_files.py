"""Recognises extras, such as trailers and deleted scenes, by suffix, folder or phrase.

An extra is identified by what it belongs to: its own name without the suffix, or the folder above.
"""

import re
from collections.abc import Sequence

import msgspec

from quartet.media.names import titles
from quartet.media.names.folder_context import same_title
from quartet.media.names.single_name import Reading, read_name, without_extension
from quartet.media.names.tables.extras import FOLDERS, LOOSE, PHRASES, SUFFIXES, WITH_NUMBERS
from quartet.media.names.tables.folders import SHELVES
from quartet.media.names.types import ExtraKind

KIND_OF_FOLDER: dict[str, ExtraKind] = {
    name: kind for kind, names in FOLDERS.items() for name in names.split(", ")
}
CODES = ("sxxeyy", "cross")
# How many folders up an extras folder may be: `Featurettes/Disc 2/Storm.mkv`.
NEAR = 2
# All suffixes, phrases and theme songs contain one of these.
HINT = re.compile(
    "trailer|teaser|featurette|deleted|scene|making|behind|gag|blooper|outtake|bonus|szene"
    "|ncop|nced|tless"
)
SUFFIX = re.compile(rf"(?:\s?-\s?({'|'.join(SUFFIXES)})|[._ ](trailer|teaser))(\d?)$", re.I)
PHRASE = re.compile(
    rf"(?P<before>^|[\s._(\[-]+)(?P<phrase>{'|'.join(PHRASES).replace(' ', '[ ._-]')})"
    r"(?![^\W_])",
    re.I,
)
INTERVIEW = re.compile(r"(?<![^\W_])interviews?(?![^\W_])", re.I)
# Theme songs without the names of the staff: `Title - NCOP1 [BD]`, `Title_Creditless_ED`.
THEME = re.compile(
    r"[\s._-]*[\[(]?(?<![^\W_])(?P<title>(?:(?:creditless|textless)[\s._]+(?:op|ed|opening|ending)|nc(?:op|ed))"
    r"(?:[\s._]?\d{1,2}[a-d]?)?)(?:v\d)?(?![^\W_])",
    re.I,
)
# What else fansubs take from a disc: `[Group] Title - Menu 01 [BD]`, `[Group] Title - PV2 [BD]`.
DISC_CLIP = re.compile(
    r"-(?<=[\s._]-)[\s._]+(?P<title>(?:op|ed|pv|cm|menu)(?:[\s._]?\d{1,2}[a-d]?)?)(?:v\d)?"
    r"(?=[\s._]*(?:[\[(]|$))",
    re.I,
)
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


class Extra(msgspec.Struct, frozen=True, gc=False):
    kind: ExtraKind
    # The own title of the extra, if it has one.
    title: str | None
    # The name and the folders that say what it belongs to.
    name: str
    folders: Sequence[str]
    # Movies do not have such an extra.
    of_series: bool = False


def find(name: str, folders: Sequence[str]) -> Extra | None:
    if folders and (found := by_folder(name, folders)):
        return found
    if not is_possible(name.lower()):
        return None
    stem, extension = without_extension(name)
    if extension is None:
        return None
    return by_theme(stem, folders) or by_suffix(stem, folders) or by_phrase(stem, folders)


def is_possible(lower: str) -> bool:
    """Quick check before the other regular expressions."""
    if HINT.search(lower) or (lower[:1] == "[" and DISC_CLIP.search(lower)):
        return True
    return lower.rpartition("-")[2].partition(".")[0] in SUFFIXES


def by_folder(name: str, folders: Sequence[str]) -> Extra | None:
    """`Heat (1995)/Featurettes/Storm.mkv`"""
    at = next(
        (
            index
            for index in range(len(folders) - 1, max(-1, len(folders) - 1 - NEAR), -1)
            if folders[index].strip().lower() in KIND_OF_FOLDER
        ),
        0,
    )
    # Not on top, and not a shelf of a library: `Movies/Shorts/Some Film (2010).mkv`.
    if not at or folders[at - 1].strip().lower() in SHELVES:
        return None
    kind = KIND_OF_FOLDER[folders[at].strip().lower()]
    stem, extension = without_extension(name)
    if extension is None:
        return None
    reading = read_name(name)
    if reading.form in CODES and reading.parsed.episodes and kind in LOOSE:
        return None
    while at > 1 and folders[at - 1].strip().lower() in KIND_OF_FOLDER:
        at -= 1
    # `HD movies/Shorts/Some Film (2010).mkv`: a movie in a folder that organises a library.
    if reading.parsed.year and not is_release(read_name(folders[at - 1]), folders[: at - 1]):
        return None
    if kind == "other":
        kind = likely_kind(stem)
    suffix = SUFFIX.search(stem)
    title = titles.clean(stem[: suffix.start()] if suffix else stem)
    return Extra(kind, title or None, folders[at - 1], folders[: at - 1])


def phrase_kind(stem: str) -> ExtraKind | None:
    match = PHRASE.search(stem)
    return kind_of_phrase(match["phrase"]) if match else None


def likely_kind(stem: str) -> ExtraKind:
    """Return the kind of a video that is an extra for reasons other than its name."""
    return phrase_kind(stem) or ("interview" if INTERVIEW.search(stem) else "other")


def kind_of_phrase(text: str) -> ExtraKind:
    plain = re.sub(r"[ ._-]", " ", text.lower())
    return next(kind for phrase, kind in PHRASES.items() if re.fullmatch(phrase, plain))


def by_theme(stem: str, folders: Sequence[str]) -> Extra | None:
    """Its number is not that of an episode; the rest of the name is read without it."""
    match = THEME.search(stem) or (DISC_CLIP.search(stem) if stem[0] == "[" else None)
    if not match or not match.start():
        return None
    # Before a dash, the word keeps a number in the title: `[Group] Title 3 - NCOP1 [BD]`.
    kept = " - NCOP " if "-" in stem[match.start() : match.start("title")] else " "
    before = stem[: match.start()].rstrip(" ._")
    rest = f"{before}{kept}{stem[match.end() :].lstrip('])')}"
    return Extra("other", titles.clean(match["title"]), rest, folders, of_series=True)


def by_suffix(stem: str, folders: Sequence[str]) -> Extra | None:
    """`Heat.1995.1080p-trailer.mkv`"""
    match = SUFFIX.search(stem)
    if not match or not match.start():
        return None
    rest = stem[: match.start()]
    word = (match[1] or match[2]).lower()
    dashed = match[1] is not None
    certain = dashed and word in ("trailer", "teaser", "behindthescenes", "deletedscenes")
    if not certain and not is_release(read_name(rest), folders):
        return None
    # Capitals at the end are a group: `x264-OTHER`.
    if dashed and not certain and match[1].isupper():
        return None
    # The second trailer needs a name of its own.
    title = f"{word.capitalize()} {match[3]}" if match[3] else None
    return Extra(SUFFIXES[word], title, rest, folders)


def by_phrase(stem: str, folders: Sequence[str]) -> Extra | None:
    """`Heat.1995.Deleted.Scenes.1080p.mkv`, `Heat - Trailer.mkv`, `Making of.mkv`"""
    match = PHRASE.search(stem)
    if not match:
        return None
    kind = kind_of_phrase(match["phrase"])
    before = stem[: match.start()]
    reading = read_name(before) if before else None
    if reading and reading.form and reading.parsed.episodes:
        numbered = match["phrase"].lower().startswith(WITH_NUMBERS)
        return (
            Extra(kind, titles.clean(stem[match.start() :]), before, folders) if numbered else None
        )
    if not reading or not reading.parsed.title:
        # Only the phrase: the folder must be that of a release.
        if not folders or folders[-1].strip().lower() in SHELVES:
            return None
        above, own = read_name(folders[-1]), read_name(stem)
        if own.form or not is_release(above, ()) or is_same(above, own):
            return None
        return Extra(kind, titles.clean(stem), folders[-1], folders[:-1])
    dashed = " - " in match["before"] and match.end() == len(stem)
    if not (dashed or YEAR.search(before, 1) or is_of_folder(reading, folders)):
        return None
    return Extra(kind, titles.clean(stem[match.start() :]), before, folders)


def is_release(reading: Reading, folders: Sequence[str]) -> bool:
    """Return True if this is certainly the name of a movie or an episode."""
    parsed = reading.parsed
    if parsed.year or reading.has_tags or reading.form:
        return True
    if not folders or not parsed.title:
        return False
    return is_same(read_name(folders[-1]), reading)


def is_of_folder(reading: Reading, folders: Sequence[str]) -> bool:
    """`Heat (1995)/Heat Behind the Scenes.mkv`"""
    above = read_name(folders[-1]) if folders else None
    return above is not None and is_release(above, ()) and is_same(above, reading)


def is_same(one: Reading, other: Reading) -> bool:
    title, second = one.parsed.title, other.parsed.title
    return title is not None and second is not None and same_title(title, second)
