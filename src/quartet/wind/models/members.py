"""Read the members of an ensemble, a few files at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from quartet.wind.models.refused import NotYet, Refused

# Fewer say too little about how certain a forecast is.
LEAST_MEMBERS = 10
# A step has up to a hundred files; the servers of weather services limit the connections.
_AT_ONCE = 6


class MemberRead(NamedTuple):
    member: int
    read: Callable[[], Awaitable[bytes]]


class MemberPiece(NamedTuple):
    member: int
    content: bytes


async def read_members(reads: Sequence[MemberRead], *, required: bool) -> list[MemberPiece]:
    """Read what is there; with `required` a missing or bad member raises."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def take(each: MemberRead) -> MemberPiece | None:
        async with limit:
            try:
                return MemberPiece(each.member, await each.read())
            except (NotYet, Refused):
                if required:
                    raise
                return None

    found = [piece for piece in await asyncio.gather(*map(take, reads)) if piece is not None]
    if len({piece.member for piece in found}) < LEAST_MEMBERS:
        raise NotYet
    return found
