"""Checksum lists: .sfv, .md5, .sha1 and .sha256 files."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import splitext

from quartet.downloads.unmarked_names import decoded

_LARGEST = 4 * 1024 * 1024
_KINDS = {8: "crc32", 32: "md5", 40: "sha1", 64: "sha256"}

# A name ends with something else than a space, so that a long row of them is read only once.
_SFV = re.compile(r"(?P<name>.*\S)\s+(?P<value>[0-9a-f]{8})", re.IGNORECASE)
_GNU = re.compile(
    r"\\?(?P<value>[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})\s+\*?(?P<name>.+)", re.IGNORECASE
)
_BSD = re.compile(
    r"(?:MD5|SHA1|SHA256)\s*\((?P<name>.+)\)\s*=\s*(?P<value>[0-9a-f]+)", re.IGNORECASE
)
_BARE = re.compile(r"(?P<value>[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})", re.IGNORECASE)


@dataclass(frozen=True)
class Checksum:
    """`name` is a plain file name, because a list must not refer to other folders."""

    name: str
    kind: str
    value: str


def is_checksum_list(name: str) -> bool:
    return splitext(name.lower())[1] in (".sfv", ".md5", ".sha1", ".sha256")


def parse_checksum_list(name: str, data: bytes) -> list[Checksum]:
    """Parse all readable lines. A bare checksum belongs to the file named like the list."""
    patterns = (_SFV,) if name.lower().endswith(".sfv") else (_BSD, _GNU, _BARE)
    found = []
    for line in _text(data[:_LARGEST]).splitlines():
        line = line.strip()
        if not line or line[0] in ";#":
            continue
        match = next(filter(None, (pattern.fullmatch(line) for pattern in patterns)), None)
        if match and (one := _checksum(match, PurePosixPath(name).stem)):
            found.append(one)
    return found


def _checksum(match: re.Match[str], stem: str) -> Checksum | None:
    groups = match.groupdict()
    value = groups["value"].lower()
    plain = re.split(r"[/\\]", groups.get("name") or stem)[-1].strip()
    kind = _KINDS.get(len(value))
    return Checksum(plain, kind, value) if kind and plain not in ("", ".", "..") else None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return decoded(data)
