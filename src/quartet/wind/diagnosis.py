"""The checks of `quartet doctor` for wind; `quartet wind check-sources` looks at every model."""

import asyncio
from urllib.parse import urlsplit

from quartet.kernel.diagnosis import SECONDS, DiagnosisLine
from quartet.kernel.outbound import OutboundClient
from quartet.kernel.sources import check_source
from quartet.wind.settings import WindSettings


async def findings(settings: WindSettings) -> list[DiagnosisLine]:
    async with OutboundClient(
        allow_private=settings.allow_private_addresses or settings.allowed_private_networks,
        timeout=SECONDS,
        retries=0,
        proxy=lambda: settings.proxy,
    ) as outbound:
        found = await asyncio.gather(*(check_source(outbound, each) for each in _origins(settings)))
    if settings.s3_url:
        found.append(await _bucket(settings.s3_url))
    return found


def _origins(settings: WindSettings) -> list[str]:
    """Return the servers without which forecasts or measurements are missing."""
    addresses = (
        settings.dwd_address,
        settings.noaa_address,
        settings.ecmwf_address,
        settings.meteofrance_address,
        settings.aviation_address,
    )
    parts = (urlsplit(each) for each in addresses)
    return list(dict.fromkeys(f"{each.scheme}://{each.netloc}/" for each in parts))


async def _bucket(url: str) -> DiagnosisLine:
    from quartet.wind.scale.bucket import S3Bucket

    try:
        await S3Bucket(url).list_runs("icon-eu")
    except Exception as error:  # noqa: BLE001 - the library raises many types
        return DiagnosisLine("bucket", "error", f"cannot use it: {str(error).splitlines()[0]}")
    return DiagnosisLine("bucket", "ok", url.partition("?")[0])
