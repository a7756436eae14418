"""The addresses that torrents may reach, as ranges for libtorrent."""

import re
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from quartet.kernel.address_policy import AddressPolicy

# Lines such as "1.2.3.4 - 1.2.3.9 , 000 , name" (eMule), "name:1.2.3.4-1.2.3.9" (PeerGuardian).
_RANGE = re.compile(r"(?:^|[:\s])([0-9a-fA-F:.]+)\s*-\s*([0-9a-fA-F:.]+)(?=\s|,|$)")
# eMule ignores ranges with a higher number.
_LEVEL = re.compile(r",\s*(\d+)\s*,")
_HIGHEST_LEVEL = 127


class AddressRule(NamedTuple):
    first: str
    last: str
    blocked: bool


def rules(policy: AddressPolicy, block_list: Path | None) -> Iterator[AddressRule]:
    """Return the rules in order; a later rule overrides an earlier one."""
    for network, permitted in policy.rules():
        yield AddressRule(str(network[0]), str(network[-1]), not permitted)
    if block_list:
        with block_list.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if rule := _blocked_range(line):
                    yield rule


def _blocked_range(line: str) -> AddressRule | None:
    found = _RANGE.search(line)
    if line.startswith("#") or not found:
        return None
    level = _LEVEL.search(line)
    if level and int(level[1]) > _HIGHEST_LEVEL:
        return None
    try:
        # Such lists pad numbers with zeros, which `ip_address` refuses.
        first, last = (ip_address(_unpadded(text)) for text in found.groups())
    except ValueError:
        return None
    if first.version != last.version or int(first) > int(last):
        return None
    return AddressRule(str(first), str(last), True)


def _unpadded(text: str) -> str:
    return ".".join(part.lstrip("0") or "0" for part in text.split(".")) if "." in text else text
