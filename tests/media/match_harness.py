"""A matcher with a real database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from quartet.kernel.startup import open_kernel
from quartet.media.app import SERVICE
from quartet.media.catalog.service import Catalog
from quartet.media.match.service import Matcher
from quartet.media.match.types import Match
from quartet.media.names.parse import parse
from quartet.media.options.service import OptionsService
from quartet.media.options.types import Options
from tests.databases import put_empty_database


class MatchHarness:
    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher

    async def match(self, *names: str) -> list[Match]:
        return await self.matcher.match([parse(name, ()) for name in names])

    async def one(self, name: str) -> Match:
        return (await self.match(name))[0]


@asynccontextmanager
async def match_harness(
    folder: Path, *, demo: bool = True, **options: Any
) -> AsyncIterator[MatchHarness]:
    settings = SERVICE.settings(data=folder, demo=demo, allow_private_addresses=True)
    put_empty_database(folder, SERVICE.history)
    kernel = open_kernel(SERVICE, settings)
    try:
        service = OptionsService(kernel)
        await service.replace(msgspec.convert(options, Options))
        catalog = Catalog(kernel, service, demo=demo)
        yield MatchHarness(Matcher(kernel, catalog, service))
    finally:
        await kernel.close()
