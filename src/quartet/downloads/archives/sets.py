"""Detects which files of a folder form one archive."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import structs

from quartet.downloads.archives.types import ArchiveSet, Kind, Parts, Scheme

MAX_MISSING_NAMES = 50  # limits the missing names, e.g. if only .part1 and .part99999 exist

_PACKED = "gz|bz2|xz|zst|lzma|z"
_SCHEMES: tuple[tuple[Scheme, str], ...] = (
    ("part", r"(?P<stem>.+)\.part(?P<digits>\d{1,5})\.(?P<ending>rar)"),
    ("numbered", r"(?P<stem>.+)\.(?P<ending>rar|7z|zip)\.(?P<digits>\d{3,5})"),
    ("old_rar", r"(?P<stem>.+)\.(?P<ending>rar|[r-y](?P<digits>\d\d))"),
    ("spanned_zip", r"(?P<stem>.+)\.(?P<ending>zip|z(?P<digits>\d\d\d?))"),
    ("single", rf"(?P<stem>.+)\.(?P<ending>tar\.(?:{_PACKED}))"),
    ("single", rf"(?P<stem>.+)\.(?P<ending>7z|sfx|tar|tgz|tbz2?|txz|tzst|taz|tlz|{_PACKED})"),
    ("raw", r"(?P<stem>.+)\.(?P<ending>)(?P<digits>\d{3})"),
)
_PATTERNS = [(scheme, re.compile(text, re.I | re.DOTALL)) for scheme, text in _SCHEMES]


class _Name(NamedTuple):
    text: str
    scheme: Scheme
    stem: str
    ending: str
    digits: str
    number: int

    @property
    def kind(self) -> Kind:
        if self.scheme in ("part", "old_rar"):
            return "rar"
        if self.scheme == "spanned_zip":
            return "zip"
        ending = self.ending.lower()
        for kind in ("rar", "7z", "zip", "tar"):
            if ending == kind:
                return kind
        # A self-extracting archive of any kind; 7-Zip finds the archive behind the program.
        return "7z" if ending == "sfx" else "stream"

    @property
    def family(self) -> tuple[str, str, str]:
        """Return what all volumes of a set have in common, ignoring case."""
        ending = self.ending.lower() if self.scheme in ("numbered", "single") else ""
        return self.scheme, ending, self.stem.casefold()

    @property
    def spelling(self) -> tuple[str, str]:
        return self.stem, re.sub(r"\d", "", self.text[len(self.stem) :])[:2]


def find_sets(names: Iterable[str], folder: Parts = ()) -> tuple[ArchiveSet, ...]:
    families: dict[tuple[str, str, str], list[_Name]] = defaultdict(list)
    for text in sorted(set(names)):
        if name := _parse(text):
            families[name.family].append(name)
    sets = [
        _archive_set(group, folder)
        for family in families.values()
        for width in _by_width(family)
        for group in _by_spelling(width)
        if _has_beginning(group)
    ]
    return tuple(sorted(sets, key=lambda found: (found.first.casefold(), found.first)))


def is_extractable(archive: ArchiveSet) -> bool:
    """Return False for a single `.gz` and the like, which is usually meant to stay compressed."""
    return archive.kind != "stream" or archive.packed_tar or archive.scheme == "raw"


def _parse(text: str) -> _Name | None:
    for scheme, pattern in _PATTERNS:
        if found := pattern.fullmatch(text):
            ending, digits = found["ending"], found.groupdict().get("digits") or ""
            number = int(digits) if digits else 0
            if scheme == "old_rar" and digits:
                # .r00 to .r99, then .s00: the letter stands for the hundreds
                number += 1 + 100 * (ord(ending[0].lower()) - ord("r"))
            return _Name(text, scheme, found["stem"], ending, digits, number)
    return None


def _by_width(family: list[_Name]) -> list[list[_Name]]:
    """Separate .part1, .part2 from .part01, .part02 with the same stem."""
    if family[0].scheme != "part":
        return [family]
    padded = sorted({len(name.digits) for name in family if name.digits.startswith("0")})
    groups: dict[int, list[_Name]] = defaultdict(list)
    for name in family:
        fitting = [width for width in padded if width <= len(name.digits)]
        groups[fitting[-1] if fitting else 1].append(name)
    return list(groups.values())


def _by_spelling(family: list[_Name]) -> list[list[_Name]]:
    """Separate sets by case only if two files have the same number."""
    if _places_differ(family):
        return [family]
    groups: dict[tuple[str, str], list[_Name]] = defaultdict(list)
    for name in family:
        groups[name.spelling].append(name)
    kept: list[list[_Name]] = []
    for group in groups.values():
        kept += [group] if _places_differ(group) else [[name] for name in group]
    return kept


def _places_differ(names: Sequence[_Name]) -> bool:
    return len({name.number for name in names}) == len(names)


def _has_beginning(group: list[_Name]) -> bool:
    """Require a `.rar` or `.r00`, because a single `.s01` or `.t12` may be anything.

    Pieces of a file count from 1, and there are at least two.
    """
    if group[0].scheme == "raw":
        return len(group) > 1 and min(name.number for name in group) == 1
    return group[0].scheme != "old_rar" or any(name.number <= 100 for name in group)


def _archive_set(group: list[_Name], folder: Parts) -> ArchiveSet:
    ordered = sorted(group, key=lambda name: name.number)
    model = ordered[0]
    found = ArchiveSet(
        folder=folder,
        kind=model.kind,
        scheme=model.scheme,
        stem=model.stem,
        ending=f".{model.ending.lower()}" if model.scheme == "single" else "",
        width=len(model.digits) if model.digits.startswith("0") else 1,
        upper=model.text[len(model.stem) :].isupper(),
        last=ordered[-1].number,
        parts=tuple(name.text for name in ordered),
    )
    there = {name.number for name in ordered}
    start = 1 if model.scheme in ("part", "numbered", "raw") else 0
    absent = (number for number in range(start, found.last) if number not in there)
    missing = [part_name(found, number) for number in islice(absent, MAX_MISSING_NAMES)]
    return structs.replace(found, missing=tuple(missing))


def part_name(archive: ArchiveSet, number: int) -> str:
    """Return the name of a volume, spelled like the existing ones."""
    match archive.scheme:
        case "part":
            ending = f".part{number:0{archive.width}}.rar"
        case "numbered":
            ending = f".{archive.kind}.{number:0{max(archive.width, 3)}}"
        case "raw":
            ending = f".{number:03}"
        case "old_rar" if number:
            hundreds, rest = divmod(number - 1, 100)
            ending = f".{chr(ord('r') + hundreds)}{rest:02}"
        case "old_rar":
            ending = ".rar"
        case _:
            ending = f".z{number:02}" if number else ".zip"
    return archive.stem + (ending.upper() if archive.upper else ending)
