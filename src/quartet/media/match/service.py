import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.catalog.service import Catalog
from quartet.media.catalog.title_folding import fold_title
from quartet.media.catalog.types import Candidate
from quartet.media.match import store
from quartet.media.match.batch_match import BatchMatch
from quartet.media.match.search_groups import group_by_search, override_key
from quartet.media.match.types import Match, MatchOptions, Override, OverrideKey
from quartet.media.names.types import Parsed
from quartet.media.options.service import OptionsService
from quartet.media.types import Kind, ProviderName

_AT_ONCE = 8


class Matcher:
    def __init__(self, kernel: Kernel[Any], catalog: Catalog, options: OptionsService) -> None:
        self._db = kernel.db
        self._catalog = catalog
        self._options = options

    async def match(
        self, items: Sequence[Parsed], options: MatchOptions | None = None
    ) -> list[Match]:
        """Return matches in the order of the items. Each title and each series is fetched once."""
        batch = await self._batch(options or MatchOptions())
        slots = asyncio.Semaphore(_AT_ONCE)
        found: dict[int, Match] = {}

        async def one(indexes: list[int]) -> None:
            async with slots:
                matches = await batch.group([items[index] for index in indexes])
            found.update(zip(indexes, matches, strict=True))

        async with asyncio.TaskGroup() as tasks:
            for indexes in group_by_search(items):
                tasks.create_task(one(indexes))
        return [found[index] for index in range(len(items))]

    async def choose(
        self,
        items: Sequence[Parsed],
        kind: Kind,
        provider: ProviderName,
        id: str,
        options: MatchOptions | None = None,
    ) -> list[Match]:
        """Return the match a user chose for these items. Only their episodes may be in doubt."""
        batch = await self._batch(options or MatchOptions())
        return await batch.chosen(items, kind, provider, id)

    async def remember(self, parsed: Parsed, chosen: Candidate) -> None:
        """Always match this title and year to `chosen` from now on."""
        key = override_key(parsed, chosen.kind)
        if not key.title:
            raise AppError(400, "title_missing")
        override = Override(key.kind, key.title, key.year, chosen.provider, chosen.id)
        now = now_ms()
        await self._db.write(lambda tx: store.remember(tx.conn, override, now))

    async def overrides(self) -> list[Override]:
        return await self._db.read(store.every)

    async def forget(self, key: OverrideKey) -> None:
        folded_key = msgspec.structs.replace(key, title=fold_title(key.title))
        if not await self._db.write(lambda tx: store.forget(tx.conn, folded_key)):
            raise AppError(404, "override_not_found")

    async def _batch(self, options: MatchOptions) -> BatchMatch:
        learned = {
            OverrideKey(each.kind, each.title, each.year): each for each in await self.overrides()
        }
        order = options.order or (await self._options.current()).order
        return BatchMatch(self._catalog, options, order, learned)
