"""What a job is refused for before it exists."""

import asyncio

from quartet.kernel.errors import AppError
from quartet.media.jobs.renaming import Renaming
from quartet.media.jobs.types import JobConfig
from quartet.media.naming.service import Formats
from quartet.media.naming.template import compiled
from quartet.media.roots.places import Places
from quartet.media.roots.texts import path_of


class Checking:
    def __init__(self, formats: Formats, renaming: Renaming) -> None:
        self._formats = formats
        self._renaming = renaming

    async def config(self, config: JobConfig, places: Places) -> None:
        for template in (config.templates.movie, config.templates.series):
            if template is not None:
                compiled(template)
        for id in (config.formats.movie, config.formats.series):
            if id is not None:
                await self._formats.find(id)
        for target in (config.target, *config.targets.given):
            if target is not None:
                places.spot(path_of(target))
        if config.mode != "media" and not await self._renaming.rules(config):
            raise AppError(400, "rules_missing")

    async def paths(self, paths: list[str], places: Places) -> None:
        """Inside first: nobody learns what exists elsewhere."""
        spots = [places.spot(path_of(path)) for path in paths]

        def look() -> None:
            for spot in spots:
                places.require_present(spot.root)
                spot.root.stat(spot.parts)

        await asyncio.to_thread(look)
