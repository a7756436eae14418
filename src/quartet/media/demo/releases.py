"""Releases with the titles of the demo catalog, in an order that looks random."""

import random
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from quartet.media.catalog.demo.data import Show, movies, series
from quartet.media.catalog.types import Candidate, Episode
from quartet.media.demo.sample_names import ARRIVED, EARLIER, INCOMING

_TAGS = ("1080p.BluRay.x264-GROUP", "2160p.WEB-DL.x265", "720p.BluRay.x264", "1080p.WEB.h264-TEAM")
_PLAIN = re.compile(r"[A-Za-z' ]+")
_WORDS = re.compile(r"[A-Za-z]+")
_MEGABYTE = 1_000_000
_EPISODES = 4


class DemoRelease(NamedTuple):
    name: str
    # Apparent size; the files are sparse.
    bytes: int


@cache
def releases() -> tuple[DemoRelease, ...]:
    """Return movies and episodes that are found without doubt, without those of the samples."""
    mixed = random.Random(20)
    # Shows whose first season is long enough.
    shows = [show.candidate for show in series().values() if len(_first_season(show)) >= _EPISODES]
    names = [
        f"{_dotted(one.title)}.{one.year}.{mixed.choice(_TAGS)}.mkv"
        for one in _without_doubt([*movies().values()])
    ]
    names += [
        f"{_dotted(one.title)}.S01E{number:02}.{mixed.choice(_TAGS)}.mkv"
        for one in _without_doubt(shows)[:15]
        for number in range(1, _EPISODES + 1)
    ]
    mixed.shuffle(names)
    return tuple(DemoRelease(name, mixed.randint(3, 9) * _MEGABYTE) for name in names)


def _first_season(show: Show) -> list[Episode]:
    return [each for each in show.episodes if each.season == 1]


def _without_doubt(candidates: list[Candidate]) -> list[Candidate]:
    """Return titles that only one candidate has and no sample of the demo."""
    samples = _dotted(" ".join((*ARRIVED, *EARLIER, *INCOMING))).lower()
    counts = Counter(one.title for one in candidates)
    return [
        one
        for one in candidates
        if _PLAIN.fullmatch(one.title)
        and counts[one.title] == 1
        and _dotted(one.title).lower() not in samples
    ]


def _dotted(title: str) -> str:
    return ".".join(_WORDS.findall(title.replace("'", "")))


def write_release(folder: Path, release: DemoRelease) -> Path:
    path = folder / release.name
    folder.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(b"A sample of the demo.\n" * 50)
        file.truncate(release.bytes)
    return path
