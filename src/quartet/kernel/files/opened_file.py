"""A file that is sent to a browser."""

import asyncio
from collections.abc import AsyncIterator
from typing import BinaryIO, NamedTuple

# How much is read at a time.
PIECE = 1 << 20


class OpenedFile(NamedTuple):
    file: BinaryIO
    name: str
    size: int

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the content, and close the file at the end."""
        try:
            while piece := await asyncio.to_thread(self.file.read, PIECE):
                yield piece
        finally:
            self.file.close()
