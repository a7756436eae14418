"""The addresses that torrents may reach, as ranges for libtorrent."""

import gzip
import io
import re
from collections.abc import Iterator
from contextlib import ExitStack
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import IO, NamedTuple, cast
from zipfile import BadZipFile, ZipFile

from quartet.kernel.address_policy import AddressPolicy

# Lines such as "1.2.3.4 - 1.2.3.9 , 000 , name" (eMule), "name:1.2.3.4-1.2.3.9" (PeerGuardian).
# Version 4 comes first: a name such as "bad" would belong to an address of version 6.
_RANGES = [
    re.compile(rf"(?:^|[:\s])({address})\s*-\s*({address})(?=\s|,|$)")
    for address in (r"[0-9]+(?:\.[0-9]+){3}", r"[0-9a-fA-F:.]+")
]
# Lines such as "1.2.3.4" and "1.2.3.0/24".
_NETWORK = re.compile(r"\s*([0-9a-fA-F:.]+(?:/\d+)?)\s*")
# eMule ignores ranges with a higher number.
_LEVEL = re.compile(r",\s*(\d+)\s*,")
_HIGHEST_LEVEL = 127
_GZIP, _ZIP = b"\x1f\x8b", b"PK"
_LONGEST_LINE = 10_000


class AddressRule(NamedTuple):
    first: str
    last: str
    blocked: bool


def policy_rules(policy: AddressPolicy) -> Iterator[AddressRule]:
    """Return the rules in order; a later rule overrides an earlier one."""
    for network, permitted in policy.rules():
        yield AddressRule(str(network[0]), str(network[-1]), not permitted)


def read_block_list(path: Path) -> list[AddressRule]:
    """Return the ranges of a block list, which may be compressed with gzip or in a zip file.

    Raises OSError or EOFError if it cannot be read, and ValueError if it contains no range:
    then it is something else, and nothing would be blocked.
    """
    if found := list(ranges_of(path)):
        return found
    raise ValueError("no ranges")


def ranges_of(path: Path) -> Iterator[AddressRule]:
    with ExitStack() as opened:
        content = opened.enter_context(_content(path, opened))
        text = io.TextIOWrapper(content, encoding="utf-8", errors="replace")
        while line := text.readline(_LONGEST_LINE):
            if rule := _blocked_range(line):
                yield rule


def _content(path: Path, opened: ExitStack) -> IO[bytes]:
    """Open the list itself; of a zip file, its largest file."""
    with path.open("rb") as file:
        start = file.read(2)
    if start == _GZIP:
        return cast(IO[bytes], gzip.open(path))
    if start != _ZIP:
        return path.open("rb")
    try:
        archive = opened.enter_context(ZipFile(path))
        return archive.open(max(archive.infolist(), key=lambda each: each.file_size))
    except (BadZipFile, NotImplementedError, RuntimeError) as error:
        raise ValueError("damaged zip file") from error


def _blocked_range(line: str) -> AddressRule | None:
    if line.startswith("#"):
        return None
    try:
        if network := _NETWORK.fullmatch(line):
            blocked = ip_network(_unpadded(network[1]), strict=False)
            return AddressRule(str(blocked[0]), str(blocked[-1]), True)
        level = _LEVEL.search(line)
        found = next(filter(None, (kind.search(line) for kind in _RANGES)), None)
        if not found or (level and int(level[1]) > _HIGHEST_LEVEL):
            return None
        # Such lists pad numbers with zeros, which `ip_address` refuses.
        first, last = (ip_address(_unpadded(text)) for text in found.groups())
    except ValueError:
        return None
    if first.version != last.version or int(first) > int(last):
        return None
    return AddressRule(str(first), str(last), True)


def _unpadded(text: str) -> str:
    if ":" in text or "." not in text:
        return text
    return ".".join(re.sub(r"^0+(?=\d)", "", part) for part in text.split("."))
