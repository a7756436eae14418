"""Turns the texts of catalogs, which have simple tags, into plain text."""

import re
from html import unescape

_TAG = re.compile(r"<[^<>]*>")
# AniList follows each of these tags with the line break that it stands for.
_PARAGRAPH = re.compile(r"</p>\s*<p>|<br\s*/?>\n?")
_EMPTY_LINES = re.compile(r"\n{3,}")


def plain_text(html: str | None) -> str | None:
    text = unescape(_TAG.sub("", _PARAGRAPH.sub("\n", html or "")))
    return _EMPTY_LINES.sub("\n\n", text).strip() or None
