"""Read the members of an ensemble, a few files at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from quartet.wind.models.refused import NotYet, Refused
from quartet.wind.models.types import Fetched

# Fewer say too little about how certain a forecast is.
LEAST_MEMBERS = 10
# A step has up to a hundred files; the servers of weather services limit the connections.
_AT_ONCE = 6


class MemberRead(NamedTuple):
    member: int
    read: Callable[[], Awaitable[bytes]]


class _Piece(NamedTuple):
    member: int
    content: bytes


async def fetch_members(reads: Sequence[MemberRead], *, required: bool) -> Fetched:
    """Read what is there; with `required` a missing or bad member raises."""
    limit = asyncio.Semaphore(_AT_ONCE)

    async def take(each: MemberRead) -> _Piece | None:
        async with limit:
            try:
                return _Piece(each.member, await each.read())
            except (NotYet, Refused):
                if required:
                    raise
                return None

    found = [piece for piece in await asyncio.gather(*map(take, reads)) if piece is not None]
    if len({piece.member for piece in found}) < LEAST_MEMBERS:
        raise NotYet
    return Fetched(
        tuple(piece.content for piece in found),
        required=0,
        members=tuple(piece.member for piece in found),
    )
