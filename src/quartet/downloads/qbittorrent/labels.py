"""Categories and tags, which clients use to find their packages."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from pathlib import Path

from quartet.downloads.events import Changed
from quartet.downloads.qbittorrent import store
from quartet.downloads.qbittorrent.hashes import hash_of
from quartet.downloads.qbittorrent.save_paths import relative_folder
from quartet.downloads.qbittorrent.types import Shown, StoredExtras
from quartet.kernel.db import Database, Tx
from quartet.kernel.errors import AppError

_MOST_TAGS = 100
_LONGEST_NAME = 200


def clean_name(text: str) -> str:
    """Return the name of a category or a tag without line breaks and needless spaces."""
    return " ".join(text.replace("\0", "").split())[:_LONGEST_NAME]


class Labels:
    def __init__(
        self, db: Database, done: Path, ids_of: Callable[[str], Awaitable[list[int]]]
    ) -> None:
        self._db = db
        self._done = done
        # Returns the packages with these hashes.
        self._ids_of = ids_of

    async def categories(self) -> dict[str, Shown]:
        return {
            name: {"name": name, "savePath": str(self._done / folder) if folder else ""}
            for name, folder in (await self._db.read(store.categories)).items()
        }

    async def put_category(self, name: str, path: str, *, exists: bool) -> None:
        known, clean = await self._db.read(store.categories), clean_name(name)
        if not clean or (clean in known) != exists:
            raise AppError(409 if clean else 400, "invalid_request", field="category")
        folder = relative_folder(self._done, path) if path else ""
        await self._write(lambda tx: store.put_category(tx.conn, clean, folder))

    async def remove_categories(self, names: Collection[str]) -> None:
        await self._write(lambda tx: store.remove_categories(tx.conn, names))

    async def set_category(self, hashes: str, category: str) -> None:
        clean = clean_name(category)
        if clean and clean not in await self._db.read(store.categories):
            raise AppError(409, "invalid_request", field="category")
        await self._change_extras(hashes, lambda own: own._replace(category=clean))

    async def tags(self) -> list[str]:
        return await self._db.read(store.tags)

    async def create_tags(self, names: Iterable[str]) -> None:
        await self._write(lambda tx: store.add_tags(tx.conn, names))

    async def delete_tags(self, names: Collection[str]) -> None:
        await self._write(lambda tx: store.remove_tags(tx.conn, names))

    async def add_tags(self, hashes: str, names: Sequence[str]) -> None:
        await self.create_tags(names)
        await self._change_extras(
            hashes, lambda own: own._replace(tags=list(dict.fromkeys([*own.tags, *names])))
        )

    async def remove_tags(self, hashes: str, names: Sequence[str]) -> None:
        """Remove tags from packages; without names all of them."""
        await self._change_extras(
            hashes,
            lambda own: own._replace(
                tags=[tag for tag in own.tags if names and tag not in names],
            ),
        )

    async def _change_extras(
        self, hashes: str, change: Callable[[StoredExtras], StoredExtras]
    ) -> None:
        ids = await self._ids_of(hashes)

        def work(tx: Tx) -> None:
            stored = store.extras(tx.conn, ids)
            for id in ids:
                own = change(stored.get(id) or StoredExtras(hash_of(id)))
                store.put_extras(tx.conn, id, own._replace(tags=own.tags[:_MOST_TAGS]))

        await self._write(work)

    async def _write(self, work: Callable[[Tx], None]) -> None:
        def all_of_it(tx: Tx) -> None:
            work(tx)
            tx.emit(Changed("downloads"))

        await self._db.write(all_of_it)
