"""The `quartet wind` command."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quartet.cli import config_option, data_option, errors_as_messages, settings_for_writing

if TYPE_CHECKING:
    from quartet.kernel.db import Tx
    from quartet.kernel.service import Kernel
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
