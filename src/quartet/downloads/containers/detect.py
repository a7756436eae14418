"""Detects the kind of a container file."""

import re
from pathlib import PurePath
from typing import Literal

from quartet.kernel.files import safe_name

Kind = Literal[
    "dlc",
    "rsdf",
    "ccf",
    "metalink",
    "torrent",
    "nzb",
    "crawljob",
    "jdownloader",
    "pyload",
    "aria2",
    "binary",
    "text",
]

_ENDINGS: dict[str, Kind] = {
    ".dlc": "dlc",
    ".rsdf": "rsdf",
    ".ccf": "ccf",
    ".metalink": "metalink",
    ".meta4": "metalink",
    ".torrent": "torrent",
    ".nzb": "nzb",
    ".crawljob": "crawljob",
}
_SIGNATURES: dict[bytes, Kind] = {b"SQLite format 3\0": "pyload", b"PK\x03\x04": "jdownloader"}
_XML_HEAD = 2048
_TORRENT = re.compile(rb"d\d{1,4}:.*4:info", re.DOTALL)
# An address, followed by an indented option.
_ARIA2 = re.compile(rb"^(?:https?|s?ftp|magnet):\S.*\n[ \t]+[a-z][a-z-]*=", re.MULTILINE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# Only hexadecimal digits, or only base64; a list of links never looks like this.
_RSDF = re.compile(rb"[0-9A-Fa-f\s]{64,}")
_DLC = re.compile(rb"[A-Za-z0-9+/=\s]{128,}")


def kind_of(name: str, content: bytes) -> Kind:
    """Return the kind by file extension, or by content if the extension is unknown."""
    known = _ENDINGS.get(PurePath(name).suffix.lower())
    if known:
        return known
    if _RSDF.fullmatch(content):
        return "rsdf"
    return "dlc" if _DLC.fullmatch(content) else _plain_kind(content)


def _plain_kind(content: bytes) -> Kind:
    for signature, kind in _SIGNATURES.items():
        if content.startswith(signature):
            return kind
    head = content[:_XML_HEAD].lower()
    if b"<metalink" in head:
        return "metalink"
    if b"<nzb" in head:
        return "nzb"
    if _TORRENT.match(content):
        return "torrent"
    if _ARIA2.search(content):
        return "aria2"
    is_binary = b"\0" in content and not content.startswith(_UTF16)
    return "binary" if is_binary else "text"


def title_of(name: str) -> str:
    """Return a package name for a container that contains none."""
    return safe_name(PurePath(name).stem) if name else ""


def text_of(content: bytes) -> str:
    """Decode a text file in UTF-8 or UTF-16."""
    if content.startswith(_UTF16):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")
