"""Determines whether yt-dlp supports a link without importing it, which is slow and large."""

import ast
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

# Too common in host names to identify a site.
_COMMON = {"www", "com", "net", "org", "de", "co", "tv", "m", "video", "player", "embed"}
# Handled by our own plugins, or recognised by yt-dlp only to be rejected.
_ELSEWHERE = {"Generic", "Dropbox", "GoogleDrive", "GoogleDriveFolder", "KnownDRM", "KnownPiracy"}
_CLASS = re.compile(r"^class (\w+)IE\(.*\n((?:[ ].*\n)+)", re.MULTILINE)
_FIELD = re.compile(r"^    (_VALID_URL|_WORKING|_ENABLED) = (.+)$", re.MULTILINE)
# A letter in either case.
_EITHER = re.compile(r"\[([a-z])[A-Z]\]")
_WORD = re.compile(r"[a-z0-9-]+")
_LONGEST_PATTERN = 20_000


def knows(url: str) -> bool:
    """Return whether yt-dlp supports the link, with or without the marker of a video."""
    patterns = _patterns_for(urlsplit(url).hostname or "")
    page = url.rpartition("#media")[0] or url if patterns else url
    return any(pattern.match(page) for pattern in patterns)


@lru_cache(maxsize=2000)
def _patterns_for(host: str) -> list[re.Pattern[str]]:
    """Return the patterns that contain a label of this host, because trying all would be slow."""
    index = _index()
    labels = [each for each in host.split(".")[:-1] if each not in _COMMON and not each.isdecimal()]
    return [re.compile(pattern) for label in labels for pattern in index.get(label, ())]


@cache
def _index() -> dict[str, list[str]]:
    """Return the patterns by the words they contain."""
    found: dict[str, list[str]] = {}
    for pattern in _listed(_list()):
        bare = _EITHER.sub(r"\1", pattern).replace("\\.", ".").replace("\\-", "-")
        for word in set(_WORD.findall(bare.replace("(?x", "(").lower())):
            found.setdefault(word, []).append(pattern)
    return found


def _list() -> str:
    """Return yt-dlp's list of extractors, or an empty text if it is missing."""
    package = find_spec("yt_dlp")
    path = (
        Path(package.origin).parent / "extractor" / "lazy_extractors.py"
        if (package and package.origin)
        else None
    )
    return path.read_text() if path and path.is_file() else ""


def _listed(text: str) -> Iterator[str]:
    for name, body in _CLASS.findall(text):
        fields = dict(_FIELD.findall(body))
        given = _literal(fields.get("_VALID_URL", "False"))
        usable = all(_literal(fields.get(key, "True")) for key in ("_WORKING", "_ENABLED"))
        if name in _ELSEWHERE or not usable:
            continue
        for pattern in given if isinstance(given, list | tuple) else (given,):
            if isinstance(pattern, str) and len(pattern) < _LONGEST_PATTERN:
                yield pattern


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return False
