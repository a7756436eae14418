"""Derives a package name from the names of its files."""

import re
from collections.abc import Sequence

# Endings that differ within a set of files or say nothing about its content.
_ENDINGS = re.compile(
    r"(\.part\d{1,5}|\.vol\d+\+\d+|\.r\d{2,3}|\.\d{3}|\.tar"
    r"|\.(rar|zip|7z|gz|xz|bz2|zst|tgz|iso|par2|sfv|md5|sha1|sha256|nfo"
    r"|mkv|mp4|m4v|avi|mov|wmv|webm|ts|mp3|flac|m4a|ogg|wav|srt|sub|idx"
    r"|m3u8?|mpd|html?|bin|img|pdf|epub|exe|deb|rpm|apk|dmg|jpg|jpeg|png|txt))+$",
    re.IGNORECASE,
)
_BREAK = re.compile(r"[\s._\-+\[(]+[^\s._\-+\[(]*$")
SHORTEST = 4


def package_name(names: Sequence[str]) -> str:
    stems = list(dict.fromkeys(_ENDINGS.sub("", name) or name for name in names))
    if len(stems) == 1:
        return stems[0]
    common = _BREAK.sub("", _common(min(stems), max(stems)))
    return common if len(common) >= SHORTEST else f"{stems[0]} (+{len(names) - 1})"


def _common(first: str, last: str) -> str:
    """Return the common prefix of all names that sort between these two."""
    for place, (one, other) in enumerate(zip(first, last, strict=False)):
        if one != other:
            return first[:place]
    return first
