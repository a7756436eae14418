"""Which kind of container a file is."""

import re
from pathlib import PurePath
from typing import Literal

from quartet.kernel.files import safe_name

Kind = Literal["dlc", "rsdf", "ccf", "text"]

_ENDINGS: dict[str, Kind] = {".dlc": "dlc", ".rsdf": "rsdf", ".ccf": "ccf"}
# Hexadecimal digits only, and base64 only: no list of links looks like this.
_RSDF = re.compile(rb"[0-9A-Fa-f\s]{64,}")
_DLC = re.compile(rb"[A-Za-z0-9+/=\s]{128,}")


def kind_of(name: str, content: bytes) -> Kind:
    """By its name, and by its content where the name says nothing."""
    known = _ENDINGS.get(PurePath(name).suffix.lower())
    if known:
        return known
    if _RSDF.fullmatch(content):
        return "rsdf"
    return "dlc" if _DLC.fullmatch(content) else "text"


def title_of(name: str) -> str:
    """A name for the package of a container that names none."""
    return safe_name(PurePath(name).stem) if name else ""


def text_of(content: bytes) -> str:
    """Lists are written on many systems."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8-sig", "replace")
