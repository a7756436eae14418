import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError
from quartet.kernel.service import Kernel
from quartet.media.catalog.service import Catalog
from quartet.media.catalog.titles import folded
from quartet.media.catalog.types import Candidate, Kind, ProviderName
from quartet.media.match import store
from quartet.media.match.groups import grouped, override_key
from quartet.media.match.run import Run
from quartet.media.match.types import Match, MatchOptions, Override, OverrideKey
from quartet.media.names.types import Parsed
from quartet.media.options.service import OptionsService

_AT_ONCE = 8


class Matcher:
    def __init__(self, kernel: Kernel[Any], catalog: Catalog, options: OptionsService) -> None:
        self._db = kernel.db
        self._catalog = catalog
        self._options = options

    async def match(
        self, items: Sequence[Parsed], options: MatchOptions | None = None
    ) -> list[Match]:
        """In the order of the items; each title is searched once, each series listed once."""
        run = await self._run(options or MatchOptions())
        slots = asyncio.Semaphore(_AT_ONCE)
        found: dict[int, Match] = {}

        async def one(places: list[int]) -> None:
            async with slots:
                matches = await run.group([items[place] for place in places])
            found.update(zip(places, matches, strict=True))

        async with asyncio.TaskGroup() as tasks:
            for places in grouped(items):
                tasks.create_task(one(places))
        return [found[place] for place in range(len(items))]

    async def choose(
        self,
        parsed: Parsed,
        kind: Kind,
        provider: ProviderName,
        id: str,
        options: MatchOptions | None = None,
    ) -> Match:
        """The match a person wants: sure, but for its episodes."""
        run = await self._run(options or MatchOptions())
        return await run.chosen(parsed, kind, provider, id)

    async def remember(self, parsed: Parsed, chosen: Candidate) -> None:
        """From now on this title with this year is `chosen`."""
        key = override_key(parsed, chosen.kind)
        if not key.title:
            raise AppError(400, "title_missing")
        override = Override(key.kind, key.title, key.year, chosen.provider, chosen.id)
        now = now_ms()
        await self._db.write(lambda tx: store.remember(tx.conn, override, now))

    async def overrides(self) -> list[Override]:
        return await self._db.read(store.every)

    async def forget(self, key: OverrideKey) -> None:
        folded_key = msgspec.structs.replace(key, title=folded(key.title))
        if not await self._db.write(lambda tx: store.forget(tx.conn, folded_key)):
            raise AppError(404, "override_not_found")

    async def _run(self, options: MatchOptions) -> Run:
        learned = {
            OverrideKey(each.kind, each.title, each.year): each for each in await self.overrides()
        }
        order = options.order or (await self._options.current()).order
        return Run(self._catalog, options, order, learned)
