from quartet.wind.models.types import Reader


class BatchReader:
    """Keeps what it has read, so that a batch whose last file is missing is not read twice."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._kept: dict[tuple[str, int, int | None], bytes] = {}

    async def read(self, path: str, *, limit: int) -> bytes:
        key = (path, 0, None)
        if key not in self._kept:
            self._kept[key] = await self._reader.read(path, limit=limit)
        return self._kept[key]

    async def read_piece(self, path: str, first: int, length: int | None, *, limit: int) -> bytes:
        key = (path, first, length)
        if key not in self._kept:
            self._kept[key] = await self._reader.read_piece(path, first, length, limit=limit)
        return self._kept[key]

    async def names(self, path: str) -> list[str]:
        return await self._reader.names(path)

    def reject(self, path: str) -> None:
        self._reader.reject(path)

    def time(self) -> float | None:
        return self._reader.time()

    def reject_piece(self, piece: bytes) -> None:
        """Reject the file that has this content; the others are kept."""
        for key, content in list(self._kept.items()):
            if content is piece:
                self._reader.reject(key[0])
                del self._kept[key]
