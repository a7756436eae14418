"""Names that this service generates: numbered, backup and temporary ones; at most 255 bytes."""

import os
import re
import secrets
import unicodedata

from quartet.kernel.files import MAX_NAME_BYTES, TEMPORARY_PREFIX, split_extension
from quartet.kernel.files.names import truncate
from quartet.media.roots.file_kinds import BACKUP_MARK, SUBTITLES

MOST_NUMBERS = 9999
# A folder in each root. Junk must leave its own folder so that it can be removed.
JUNK_FOLDER = f"{TEMPORARY_PREFIX}junk"

_TAGS = re.compile(
    r"(\.([a-z]{2,3}(-[a-z0-9]{2,8}){0,2}|forced|sdh|cc|hi|default|foreign)){1,4}\Z", re.IGNORECASE
)


def split_tail(name: str) -> tuple[str, str]:
    """Split before the extension, and before the language and other tags of a subtitle."""
    stem, extension = split_extension(name)
    if extension[1:].lower() not in SUBTITLES:
        return stem, extension
    tags = _TAGS.search(stem)
    if not tags or not tags.start():
        return stem, extension
    return stem[: tags.start()], tags.group() + extension


def numbered(name: str, number: int) -> str:
    """Return `Name (1).ext`; the number goes before the tags of a subtitle."""
    stem, tail = split_tail(name)
    return shortened(stem, f" ({number}){tail}")


def backup_name(name: str, at: int) -> str:
    return shortened(name, f"{BACKUP_MARK}{at}")


def temporary_name() -> str:
    return f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"


def shortened(stem: str, tail: str) -> str:
    """Join both, shortening the stem to fit."""
    room = MAX_NAME_BYTES - len(os.fsencode(tail))
    raw = os.fsencode(stem)
    if len(raw) <= room:
        return stem + tail
    try:
        return truncate(stem, room).rstrip() + tail
    except UnicodeEncodeError:  # not valid text, so there are no characters to keep whole
        return os.fsdecode(raw[:room]) + tail


def collision_key(path: str) -> str:
    """Return equal keys for paths that are one file if case and Unicode form are ignored."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
