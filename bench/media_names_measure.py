"""Scores parser results, with the same rules for every parser.

If a suite and a parser express the same fact differently, both count as right, for every parser:
a title that includes the part, country or alternative title listed separately by the suite;
`Cap.1905` of season 19, which is its episode 5; a season that only repeats the year. PTT and PTN
have no media type: in their suites a name with an episode number is an episode, so all parsers
are judged by that rule there.
"""

import datetime
import re
from collections.abc import Iterable, Mapping
from typing import Any

from bench.media_names_suites import FIELDS, Case

KINDLESS = ("ptt", "go-ptn", "ptn")
NUMERALS = {"1": "i one un", "2": "ii two deux", "3": "iii three trois", "6": "vi six"}
NON_WORD = re.compile(r"\W+")
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
    texts = [str(one).lower() for one in as_list(value)]
    found = [
        next((name for name, pattern in known if re.search(pattern, text)), text) for text in texts
    ]
    return frozenset(found)


def as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple | set | frozenset) else [value]


def normalize(field: str, value: Any, suite: str = "") -> Any:
    if value is None or value == [] or value == ():
        return None
    if field == "title":
        return NON_WORD.sub(" ", str(value).casefold()).strip()
    if field in ("season", "episode"):
        numbers = frozenset(int(one) for one in as_list(value) if str(one).isdecimal())
        # The anitomy suite lists only the two ends of a range.
        return (
            frozenset((min(numbers), max(numbers))) if suite == "anitomy" and numbers else numbers
        )
    if field == "screen_size":
        return str(as_list(value)[-1]).lower().replace("4k", "2160p")
    if field in ("source", "video_codec", "audio_codec"):
        return classes(value, {"source": SOURCES, "video_codec": VIDEO}.get(field, AUDIO))
    return str(value)


def check_fields(case: Case, got: Mapping[str, Any], suite: str) -> dict[str, bool]:
    return {f: field_is_right(f, case, got, suite) for f in FIELDS if f in case.expected}


def field_is_right(field: str, case: Case, got: Mapping[str, Any], suite: str) -> bool:
    expected = normalize(field, case.expected[field], suite)
    answer = normalize(field, got.get(field), suite)
    if field == "title":
        return answer == expected or (
            bool(answer) and has_title_with_extras(expected, answer, case.title_extras)
        )
    if field == "year" and answer is None and isinstance(got.get("date"), datetime.date):
        return bool(expected == str(got["date"].year))
    if field == "season" and answer is None:
        return expected == frozenset((year(case.expected),)) and year(got) == year(case.expected)
    if field == "episode" and answer is not None:
        answer_seasons = normalize("season", got.get("season")) or ()
        expected_seasons = normalize("season", case.expected.get("season")) or answer_seasons
        return without_season(answer, answer_seasons) == without_season(expected, expected_seasons)
    if field == "type" and suite in KINDLESS:
        numbered = any(as_list(got.get(number)) for number in ("season", "episode"))
        return bool(expected == ("episode" if numbered else "movie"))
    if field in ("source", "video_codec", "audio_codec"):
        return answer is not None and expected <= answer
    return bool(answer == expected)


def year(fields: Mapping[str, Any]) -> int:
    return int(fields.get("year") or 0)


def without_season(numbers: frozenset[int], seasons: Iterable[int]) -> frozenset[int]:
    return frozenset(n % 100 if n > 99 and n // 100 in seasons else n for n in numbers)


def has_title_with_extras(expected: str, answer: str, title_extras: Mapping[str, Any]) -> bool:
    """Return True if the answer is the title plus only words that the suite lists separately."""
    if not title_extras or not (answer.startswith(expected) or answer.endswith(expected)):
        return False
    known: set[str] = set()
    for field, value in title_extras.items():
        for one in as_list(value):
            known.update(normalize("title", one).split())
            if field in ("part", "volume"):
                known.update(("part", "vol", *NUMERALS.get(str(one), "").split()))
    return set(answer.replace(expected, " ", 1).split()) <= known
