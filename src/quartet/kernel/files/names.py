"""Makes file names that are valid on every file system and share."""

import re
import unicodedata
from collections.abc import Container

MAX_NAME_BYTES = 255  # bytes, the limit of nearly every file system

_NAMELESS = "unnamed"

# Characters that Windows shares reject, and path separators.
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\ufffd]')

# Invisible characters that can disguise a name: direction marks and overrides, zero-width spaces,
# line and paragraph separators. The joiners that emoji and Persian need are kept.
_DECEIVING = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")

_RESERVED = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³]) *(\.|$)", re.IGNORECASE
)

# Names that are safe as they are, except reserved ones: most of all names.
_ORDINARY = re.compile(r"(?![ .])[ !#-)+-.0-9;=@A-Z\[\]^-z{}~]+(?<![ .])")

_EXTENSION = re.compile(
    r"(?<=.)(\.part\d{1,5}\.[a-z0-9]{1,4}|\.tar\.[a-z0-9]{1,5}|\.[a-z0-9]{2,3}\.\d{2,4}"
    r"|\.[a-z0-9_+~-]{1,16})\Z",
    re.IGNORECASE | re.DOTALL,
)

_JOINERS = "\u200c\u200d"
_SKIN_TONES = range(0x1F3FB, 0x1F3FF + 1)


def safe_name(
    name: str,
    max_bytes: int = MAX_NAME_BYTES,
    keep_extension: bool = True,
    *,
    allow_hidden: bool = False,
) -> str:
    """Make one safe path component from untrusted text; idempotent."""
    if len(name) <= max_bytes and _ORDINARY.fullmatch(name) and not _RESERVED.match(name):
        return name
    name = _printable(name)
    name = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", name))
    name = _tidy(name, allow_hidden)
    while len(name.encode()) > max_bytes:
        # Truncating can expose a trailing dot or a reserved name, so tidy again.
        name = _tidy(_shorten(name, max_bytes, keep_extension), allow_hidden)
    return name


def unique_name(name: str, taken: Container[str]) -> str:
    """Return `name`, or `name (1).ext` and so on until the name is not taken."""
    stem, extension = split_extension(name)
    candidate, number = name, 0
    while candidate in taken:
        number += 1
        ending = f" ({number}){extension}"
        candidate = truncate(stem, MAX_NAME_BYTES - len(ending.encode())).rstrip() + ending
    return candidate


def split_extension(name: str) -> tuple[str, str]:
    """Split off the extension; `.tar.gz`, `.part01.rar` and `.7z.001` count as one."""
    found = _EXTENSION.search(name)
    return (name[: found.start()], found.group()) if found else (name, "")


def truncate(text: str, max_bytes: int) -> str:
    """Truncate without splitting a character from its combining marks."""
    if len(text.encode()) <= max_bytes:
        return text
    end = len(text.encode()[: max(max_bytes, 0)].decode(errors="ignore"))
    while end > 0 and _belongs_together(text[end - 1], text[end]):
        end -= 1
    return text[:end]


def _belongs_together(left: str, right: str) -> bool:
    return (
        left in _JOINERS
        or right in _JOINERS
        or unicodedata.category(right).startswith("M")
        or ord(right) in _SKIN_TONES
    )


def _printable(name: str) -> str:
    # Encoding to UTF-16 joins surrogate pairs; lone surrogates become U+FFFD.
    name = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    name = re.sub(r"[\t\n\r\v\f]+", " ", _DECEIVING.sub("", name))
    return "".join(char for char in name if unicodedata.category(char) != "Cc")


def _tidy(name: str, allow_hidden: bool) -> str:
    name = _without_end(name).lstrip()
    if not allow_hidden:
        name = re.sub(r"^[\s.]+", "", name)
    if _RESERVED.match(name):
        name = f"_{name}"
    return name or _NAMELESS


def _without_end(name: str) -> str:
    """Cut off spaces and dots; a regular expression would try every row of them in the name."""
    end = len(name)
    while end and (name[end - 1] == "." or name[end - 1].isspace()):
        end -= 1
    return name[:end]


def _shorten(name: str, max_bytes: int, keep_extension: bool) -> str:
    stem, extension = split_extension(name) if keep_extension else (name, "")
    room = max_bytes - len(extension.encode())
    stem = truncate(stem, room).rstrip(" .")
    if stem:
        return stem + extension
    if len(_NAMELESS) <= room:
        return _NAMELESS + extension
    return truncate(name, max_bytes) or truncate(_NAMELESS, max_bytes)
