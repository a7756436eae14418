"""The outside suites of names, read from where guessit's wheel has them; nothing is copied.

A case is a name and what it should be read as. Only fields that all parsers could give count:
title, year, season, episode, type, resolution, source and codecs.
"""

import datetime
import json
import re
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, NamedTuple

import yaml

FIELDS = (
    "title",
    "year",
    "season",
    "episode",
    "type",
    "screen_size",
    "source",
    "video_codec",
    "audio_codec",
)
# Whose own test data a suite is.
OWNER = {
    "ptt": "PTT",
    "anitomy": "anitopy",
    "thcolin": "",
    "go-ptn": "PTN",
    "ptn": "PTN",
    "guessit": "guessit",
}
# Nobody looked at it while the parser was made.
UNTOUCHED = "thcolin"


class Case(NamedTuple):
    name: str
    expected: Mapping[str, Any]


class Suite(NamedTuple):
    name: str
    cases: list[Case]
    skipped: int


def load() -> list[Suite]:
    folder = resources.files("guessit") / "test"
    suites = []
    for name in OWNER:
        if name == "guessit":
            suites.append(own_yaml(folder))
            continue
        entries = json.loads((folder / "cross_parser" / f"{name}.json").read_text("utf-8"))
        cases = [Case(e["release_name"], e["expected"]) for e in entries["entries"]]
        suites.append(Suite(name, cases, 0))
    return suites


class Strings(yaml.SafeLoader):
    """Names stay text even when they look like a number or a date."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


def own_yaml(folder: Any) -> Suite:
    files = [*folder.iterdir(), *(folder / "rules").iterdir()]
    texts = [f for f in sorted(files, key=str) if f.name.endswith((".yml", ".yaml"))]
    cases: list[Case] = []
    skipped = 0
    for file in texts:
        loaded: dict[str, Any] = yaml.load(file.read_text("utf-8"), Loader=Strings)
        default = loaded.pop("__default__", None) or {}
        for name, expected in filled(loaded):
            fields = {k: v for k, v in (default | expected).items() if k in FIELDS}
            # Negative cases, and those with options that only guessit has.
            if name.startswith("-") or "options" in expected or not fields:
                skipped += 1
            else:
                cases.append(Case(name.lstrip("+ "), fields))
    return Suite("guessit", cases, skipped)


def filled(loaded: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """A name without a value has that of the next one with it."""
    last: dict[str, Any] = {}
    for name, expected in reversed(loaded.items()):
        last = expected or last
        yield name, last


# ---- One measure for all: the same names for the same things ----

NO_WORD = re.compile(r"\W+")
SOURCES = (
    ("bluray", r"blu|bd|brrip|remux|uhdrip|^br"),
    ("web", r"web|vod|on demand|itunes"),
    ("screener", r"scr"),
    ("dvd", r"dvd|^r5|region"),
    ("telesync", r"telesync|^ts|hdts"),
    ("telecine", r"telecine|^tc|hdtc"),
    ("cam", r"cam"),
    ("tv", r"tv|sat|dsr|dvb"),
    ("vhs", r"vhs"),
    ("ppv", r"pay|ppv"),
)
VIDEO = (
    ("h264", r"264|avc"),
    ("h265", r"265|hevc"),
    ("xvid", r"xvid"),
    ("divx", r"divx"),
    ("mpeg2", r"262|mpeg-?2"),
    ("vc1", r"vc-?1"),
)
AUDIO = (
    ("ddp", r"plus|dd\+|eac3|e-ac|ddp"),
    ("atmos", r"atmos"),
    ("truehd", r"truehd"),
    ("dtsx", r"dts[:-]?x"),
    ("dtshd", r"dts-?hd|lossless|dts-ma"),
    ("dts", r"dts"),
    ("ac3", r"ac3|dolby digital|^dd"),
    ("aac", r"aac"),
    ("flac", r"flac"),
    ("vorbis", r"vorbis|ogg"),
    ("mp3", r"mp3"),
    ("mp2", r"mp2"),
    ("opus", r"opus"),
    ("pcm", r"pcm"),
)


def classes(value: Any, known: tuple[tuple[str, str], ...]) -> frozenset[str]:
    texts = [str(one).lower() for one in listed(value)]
    found = [
        next((name for name, pattern in known if re.search(pattern, text)), text) for text in texts
    ]
    return frozenset(found)


def listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def normal(field: str, value: Any, suite: str = "") -> Any:
    if value is None or value == [] or value == ():
        return None
    if field == "title":
        return NO_WORD.sub(" ", str(value).casefold()).strip()
    if field in ("season", "episode"):
        numbers = frozenset(int(one) for one in listed(value) if str(one).isdecimal())
        # This suite gives only the two ends of a range.
        return (
            frozenset((min(numbers), max(numbers))) if suite == "anitomy" and numbers else numbers
        )
    if field == "screen_size":
        return str(listed(value)[-1]).lower().replace("4k", "2160p")
    if field in ("source", "video_codec", "audio_codec"):
        return classes(value, {"source": SOURCES, "video_codec": VIDEO}.get(field, AUDIO))
    return str(value)


def right(case: Case, got: Mapping[str, Any], suite: str) -> dict[str, bool]:
    verdicts = {}
    for field in FIELDS:
        if field not in case.expected:
            continue
        expected = normal(field, case.expected[field], suite)
        answer = normal(field, got.get(field), suite)
        if field == "year" and answer is None and isinstance(got.get("date"), datetime.date):
            answer = str(got["date"].year)
        if field in ("source", "video_codec", "audio_codec"):
            verdicts[field] = answer is not None and expected <= answer
        else:
            verdicts[field] = answer == expected
    return verdicts
