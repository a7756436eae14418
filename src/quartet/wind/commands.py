"""The `quartet wind` command."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quartet.cli import config_option, data_option, errors_as_messages

if TYPE_CHECKING:
    from quartet.wind.settings import WindSettings


@click.group(name="wind")
def commands() -> None:
    """Run additional processes of a large forecast site, and check its sources."""


@commands.command()
@click.option("--port", type=int, help="Port for health checks and metrics.")
@data_option
@config_option
def worker(port: int | None, data: Path | None, config: Path | None) -> None:
    """Fetch and decode forecasts together with other workers, one of which leads.

    The same as `quartet serve wind --role worker`.
    """
    from quartet.serve import serve_all

    flags: dict[str, object] = {"role": "worker"}
    if port is not None:
        flags["port"] = port
    with errors_as_messages():
        sys.exit(serve_all(["wind"], flags, data, config, demo=False))


@commands.command()
@click.option("--model", "only", multiple=True, help="Check only this model; may be repeated.")
@data_option
@config_option
def check_sources(only: tuple[str, ...], data: Path | None, config: Path | None) -> None:
    """Check that every weather service still publishes what is read here.

    Finds the newest run of each model, downloads and decodes the wind of one step, and prints a
    table. The exit code is 1 if a source fails.
    """
    import asyncio

    from quartet.cli import settings_for

    with errors_as_messages():
        settings = settings_for("wind", {}, data, config).values
    sys.exit(asyncio.run(_check_sources(settings, only)))


async def _check_sources(settings: "WindSettings", only: tuple[str, ...]) -> int:
    import time

    from quartet.kernel.outbound import OutboundClient
    from quartet.wind.assembly.weather import http_readers
    from quartet.wind.ingest.checking import check_sources, table_of
    from quartet.wind.ingest.workers import Workers
    from quartet.wind.models.catalogue import MODELS

    models = tuple(each for each in MODELS if each.id in (only or settings.models))
    workers = Workers(1)
    try:
        async with OutboundClient(
            allow_private=settings.allow_private_addresses, proxy=lambda: settings.proxy
        ) as outbound:
            readers = http_readers(settings, lambda: outbound)
            checks = await check_sources(models, readers, workers, time.time)
    finally:
        workers.close()
    click.echo(table_of(checks))
    return 0 if checks and all(each.ok for each in checks) else 1
