"""Adapters for our parser and its peers: a name in, a mapping with the suites' fields out."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from bench.media_names_measure import as_list
from quartet.media.names.parse import parse

SCREENER = "Screener"
Parser = Callable[[str], Mapping[str, Any]]


def is_path(name: str) -> bool:
    """Return True if the slashes separate folders; with spaces around it a slash separates two
    titles.
    """
    folders, _, file = name.replace("\\", "/").rpartition("/")
    if not folders or " /" in name or "/ " in name:
        return False
    return all(file.count(a) == file.count(b) for a, b in ("[]", "()", "【】"))


def file_and_folders(name: str) -> tuple[str, list[str]]:
    *folders, file = name.replace("\\", "/").split("/") if is_path(name) else [name]
    return file, folders


def ours(name: str) -> Mapping[str, Any]:
    parsed = parse(*file_and_folders(name))
    release = parsed.release
    return {
        "title": parsed.title,
        "year": parsed.year,
        "season": parsed.seasons,
        "episode": parsed.episodes,
        "type": parsed.kind.value,
        "screen_size": release.resolution,
        "source": split_screener(release.source),
        "video_codec": release.video_codec,
        "audio_codec": " ".join([release.audio_codec or "", *release.other_audio_codecs]).split(),
        "date": parsed.date,
        "part": parsed.part,
        "group": release.group,
        "confidence": parsed.kind.confidence,
    }


def split_screener(source: str | None) -> list[str]:
    """Split `DVD Screener` into two sources, because some suites expect only one of them."""
    first, blank, screener = (source or "").rpartition(" ")
    return [first, screener] if blank and screener == SCREENER else [source] if source else []


def kind(answer: Mapping[str, Any], *keys: str) -> str:
    return "episode" if any(answer.get(key) not in (None, []) for key in keys) else "movie"


def guessit_parser() -> Parser:
    guessit = importlib.import_module("guessit").guessit

    def read(name: str) -> Mapping[str, Any]:
        answer: dict[str, Any] = dict(guessit(name))
        # guessit reports a screener separately from the source.
        if SCREENER in as_list(answer.get("other")):
            answer["source"] = [*as_list(answer.get("source")), SCREENER]
        answer["group"] = answer.get("release_group")
        return answer

    return read


def ptt_parser() -> Parser:
    parse_title = importlib.import_module("PTT").parse_title

    def read(name: str) -> Mapping[str, Any]:
        answer = parse_title(name)
        return {
            "title": answer.get("title"),
            "year": answer.get("year"),
            "season": answer.get("seasons"),
            "episode": answer.get("episodes"),
            "type": kind(answer, "seasons", "episodes"),
            "screen_size": answer.get("resolution"),
            "source": answer.get("quality"),
            "video_codec": answer.get("codec"),
            "audio_codec": answer.get("audio"),
            "date": answer.get("date"),
            "group": answer.get("group"),
        }

    return read


def ptn_parser() -> Parser:
    ptn = importlib.import_module("PTN").parse

    def read(name: str) -> Mapping[str, Any]:
        answer = ptn(name)
        return {
            "title": answer.get("title"),
            "year": answer.get("year"),
            "season": answer.get("season"),
            "episode": answer.get("episode"),
            "type": kind(answer, "season", "episode"),
            "screen_size": answer.get("resolution"),
            "source": answer.get("quality"),
            "video_codec": answer.get("codec"),
            "audio_codec": answer.get("audio"),
            "group": answer.get("group"),
        }

    return read


def anitopy_parser() -> Parser:
    anitopy = importlib.import_module("anitopy").parse

    def read(name: str) -> Mapping[str, Any]:
        answer = anitopy(name) or {}
        return {
            "title": answer.get("anime_title"),
            "year": answer.get("anime_year"),
            "season": answer.get("anime_season"),
            "episode": answer.get("episode_number"),
            "type": kind(answer, "episode_number", "anime_season"),
            "screen_size": answer.get("video_resolution"),
            "source": answer.get("source"),
            "video_codec": answer.get("video_term"),
            "audio_codec": answer.get("audio_term"),
            "group": answer.get("release_group"),
        }

    return read


def peers() -> dict[str, Parser]:
    """Return the peers.

    All are given the whole path, with which each of them gets more fields right.
    """
    return {
        "guessit": guessit_parser(),
        "PTT": ptt_parser(),
        "PTN": ptn_parser(),
        "anitopy": anitopy_parser(),
    }
