"""The `quartet wind` command."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quartet.command_line import (
    config_option,
    data_option,
    errors_as_messages,
    settings_for_writing,
)

if TYPE_CHECKING:
    from quartet.kernel.db import Tx
    from quartet.kernel.service import Kernel
    from quartet.wind.basemap.extract import Box, Extracted
    from quartet.wind.settings import WindSettings


@click.group(name="wind")
def commands() -> None:
    """Restore access to accounts, run additional processes, and check the weather sources."""


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
@click.argument("address")
@data_option
@config_option
def reset_link(address: str, data: Path | None, config: Path | None) -> None:
    """Print a link with which a user sets a new password or passkey.

    ADDRESS is the e-mail address of the account, or the number of an account without one, as shown
    in Admin, Users. The link works once, within a day; earlier links become invalid.
    """
    import time

    from quartet.wind.accounts import store
    from quartet.wind.accounts.recovery_links import make_recovery_link
    from quartet.wind.accounts.types import RecoveryLink
    from quartet.wind.address import site_address

    def work(tx: "Tx") -> RecoveryLink:
        number = int(address) if address.isdecimal() else None
        found = store.by_email(tx.conn, address) if number is None else store.user(tx.conn, number)
        if found is None:
            raise click.ClickException(f"there is no account {address}")
        if found.disabled:
            raise click.ClickException(f"the account {address} is disabled")
        return make_recovery_link(tx, found, int(time.time()))

    with errors_as_messages(), _opened(data, config) as kernel:
        link = kernel.db.write_sync(work)
        click.echo(f"{site_address(kernel.settings)}{link.path}")


@commands.command()
@data_option
@config_option
def admin_invite(data: Path | None, config: Path | None) -> None:
    """Print a new invite for the first admin, if the one of the first start was lost or expired.

    The old invite becomes invalid. If there is an admin, use reset-link.
    """
    from quartet.wind.accounts.startup_message import first_admin_code, invite_link

    with errors_as_messages(), _opened(data, config) as kernel:
        code = first_admin_code(kernel, renew=True)
        if code is None:
            raise click.ClickException("there is an admin already; use reset-link")
        click.echo(invite_link(kernel, code))


@contextmanager
def _opened(data: Path | None, config: Path | None) -> "Iterator[Kernel[WindSettings]]":
    """Open the database; the service may be running."""
    from quartet.kernel.startup import open_kernel
    from quartet.wind.app import SERVICE

    kernel = open_kernel(SERVICE, settings_for_writing("wind", data, config))
    try:
        yield kernel
    finally:
        kernel.db.close()


@commands.command()
@click.option("--model", "only", multiple=True, help="Check only this model; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="Check models that are not fetched too.")
@data_option
@config_option
def check_sources(
    only: tuple[str, ...], everything: bool, data: Path | None, config: Path | None
) -> None:
    """Check that every weather service still publishes what is read here.

    Finds the newest run of each model, downloads and decodes the wind of one step, reads the
    measurements and station lists, and prints a table. The exit code is 1 if a source fails.
    """
    import asyncio

    from quartet.command_line import settings_for

    with errors_as_messages():
        settings = settings_for("wind", {}, data, config).values
    sys.exit(asyncio.run(_check_sources(settings, only, everything=everything)))


@commands.command()
@click.argument("area")
@click.option(
    "--max-zoom", type=click.IntRange(5, 15), default=11, show_default=True, help="Detail."
)
@data_option
@config_option
def fetch_basemap(area: str, max_zoom: int, data: Path | None, config: Path | None) -> None:
    """Download a map with streets, lakes and names of an area.

    AREA is west,south,east,north in degrees, such as 5.8,47.2,15.1,55.1, or the two-letter code of
    a country. Each zoom level roughly doubles the size. A running service uses the map at once.
    """
    import asyncio

    from quartet.wind.basemap.protomaps import parse_area
    from quartet.wind.basemap.service import BASEMAP

    with errors_as_messages():
        settings = settings_for_writing("wind", data, config)
        target = settings.data / "maps" / BASEMAP
        found = asyncio.run(_fetch_basemap(settings, parse_area(area), max_zoom, target))
    megabytes = found.size / 1_000_000
    click.echo(f"{target}: {found.tiles} tiles, {megabytes:.1f} MB")


async def _fetch_basemap(
    settings: "WindSettings", box: "Box", max_zoom: int, target: Path
) -> "Extracted":
    from quartet.kernel.outbound import OutboundClient
    from quartet.wind.basemap.protomaps import fetch_area

    async with OutboundClient(
        allow_private=settings.allow_private_addresses, proxy=lambda: settings.proxy
    ) as outbound:
        return await fetch_area(outbound, settings.protomaps_address, box, max_zoom, target)


@commands.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@data_option
@config_option
def add_lakes(file: Path, data: Path | None, config: Path | None) -> None:
    """Replace the lakes of the included map.

    FILE is gshhs_f.b (or gshhs_h.b, with less detail) of GSHHG. Maps of fetch-basemap have lakes
    already. A running service uses them at once.
    """
    from quartet.wind.basemap.lakes_archive import build_lakes
    from quartet.wind.basemap.service import LAKES

    with errors_as_messages():
        folder = settings_for_writing("wind", data, config).data / "maps"
    try:
        click.echo(f"{build_lakes(file, folder / LAKES)} lakes")
    except ValueError as error:
        raise click.ClickException(str(error)) from error


@commands.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@data_option
@config_option
def add_places(files: tuple[Path, ...], data: Path | None, config: Path | None) -> None:
    """Add beaches, lakes, capes and harbours to the search.

    FILES are dumps of GeoNames, such as DE.zip, or names of OpenStreetMap as .geojsonseq. A running
    service uses them within an hour.
    """
    from quartet.wind.places.extracts import save_extract

    with errors_as_messages():
        folder = settings_for_writing("wind", data, config).data / "places"
        for path in files:
            click.echo(f"{path.name}: {save_extract(folder, path)} places")


async def _check_sources(
    settings: "WindSettings", only: tuple[str, ...], *, everything: bool
) -> int:
    import time

    from quartet.kernel.outbound import OutboundClient
    from quartet.wind import measured_sources
    from quartet.wind.assembly.weather import http_readers
    from quartet.wind.fetcher import Fetcher
    from quartet.wind.ingest.checking import check_sources, table_of
    from quartet.wind.ingest.workers import Workers
    from quartet.wind.models.catalogue import ALL_MODELS

    wanted = only or (*settings.models, *settings.ensembles)
    models = tuple(each for each in ALL_MODELS if everything or each.id in wanted)
    workers = Workers(1)
    try:
        async with OutboundClient(
            allow_private=settings.allow_private_addresses or settings.allowed_private_networks,
            proxy=lambda: settings.proxy,
        ) as outbound:
            readers = http_readers(settings, lambda: outbound)
            checks = await check_sources(models, readers, workers, time.time)
            click.echo(table_of(checks))
            measured: list[measured_sources.MeasuredCheck] = []
            if not only:
                fetcher = Fetcher(lambda: outbound)
                measured = await measured_sources.check_measured_sources(settings, fetcher)
                click.echo(f"\n{measured_sources.table_of(measured)}")
    finally:
        workers.close()
    problems = [*(each.problem for each in checks), *(each.problem for each in measured)]
    return 0 if checks and not any(problems) else 1
