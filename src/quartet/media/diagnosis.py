"""The checks of `quartet doctor` for media."""

import asyncio
from pathlib import Path

from quartet.kernel.diagnosis import SECONDS, DiagnosisLine, check_folder
from quartet.kernel.outbound import OutboundClient
from quartet.kernel.sources import check_source
from quartet.media.catalog import tmdb, tvmaze
from quartet.media.settings import MediaSettings


async def findings(settings: MediaSettings) -> list[DiagnosisLine]:
    found = [check_folder("root", Path(each)) for each in settings.roots]
    if settings.demo:
        return found
    async with OutboundClient(
        allow_private=settings.allow_private_addresses or settings.allowed_private_networks,
        timeout=SECONDS,
        retries=0,
    ) as outbound:
        # A warning: titles that were looked up before need none of them.
        sources = (
            check_source(outbound, each, missing="warning")
            for each in (tmdb.ADDRESS, tvmaze.ADDRESS)
        )
        return [*found, *await asyncio.gather(*sources)]
