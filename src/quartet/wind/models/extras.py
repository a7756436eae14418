import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from quartet.wind.models.refused import NotYet, Refused

Read = Coroutine[Any, Any, bytes]


async def read_with_extras(
    wind: Sequence[Read], extras: Sequence[Read], *, required: bool
) -> tuple[bytes, ...]:
    """Read the fields of a step; extras that are not required may be missing or bad."""

    async def read_extra(read: Read) -> bytes | None:
        try:
            return await read
        except (NotYet, Refused):
            if required:
                raise
            return None

    found = await asyncio.gather(*wind, *map(read_extra, extras))
    return tuple(piece for piece in found if piece is not None)
