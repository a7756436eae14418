"""Commands on a device."""

import asyncio
import getpass
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from quartet.kernel.errors import AppError
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.places import default_folder, this_system

LEVEL_VARIABLE = "QUARTET_LOG_LEVEL"

dir_option = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default=lambda: default_folder(this_system(), Path.home()),
    help="Folder of the agent's key and settings.",
)


@click.group()
def commands() -> None:
    """The sync agent of this device."""


@commands.command()
@click.option("--server", metavar="URL", help="The server; the one on the LAN unless given.")
@click.option(
    "--allow",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folders may lie beneath this one instead of your home; more than one may be given.",
)
@click.option("--engine", type=click.Path(path_type=Path), help="Syncthing program to use.")
@click.argument("code", required=False)
@dir_option
def join(
    server: str | None,
    allow: tuple[Path, ...],
    engine: Path | None,
    code: str | None,
    folder: Path,
) -> None:
    """Remember the server and CODE; without a code somebody approves this device there."""
    from quartet.sync.agent.joining import is_address, only_server
    from quartet.sync.agent.joining import join as join_server

    with explained():
        url = server or only_server()
        if not is_address(url):
            raise click.UsageError("--server is an address such as https://sync.example.org")
        done = join_server(
            folder.absolute(), url, code, [each.absolute() for each in allow], engine
        )
    click.echo(f"Server       {url}")
    click.echo(f"Identity     {done.server_id or 'not reached yet; fixed at the first contact'}")
    click.echo(f"Fingerprint  {done.fingerprint}")
    if code is None:
        click.echo("Approve the device with this fingerprint on the server.")


@commands.command()
@dir_option
def run(folder: Path) -> None:
    """Run in the foreground until Ctrl-C."""
    from quartet.kernel.log import set_up_logging
    from quartet.sync.agent.runner import run_agent

    set_up_logging(os.environ.get(LEVEL_VARIABLE, "info"), "console")
    with explained():
        asyncio.run(run_agent(folder.absolute()))


@commands.command()
@click.argument("ident", metavar="FOLDER")
@dir_option
def password(ident: str, folder: Path) -> None:
    """Set the password of an encrypted FOLDER (its id); the server never learns it."""
    from quartet.sync.agent.store import Store

    told = getpass.getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not told.strip():
        raise click.ClickException("the password is empty")
    with explained():
        Store(folder.absolute()).set_password(ident, told.rstrip("\n"))
    click.echo("The password is set; every device needs the same.")


@commands.group()
def service() -> None:
    """The agent as a service of this user."""


@service.command()
@dir_option
def install(folder: Path) -> None:
    """Install and start it, or start it anew."""
    from quartet.sync.agent.managers import Manager
    from quartet.sync.agent.store import Store

    with explained():
        Store(folder.absolute()).joined()
        made = Manager(this_system(), folder.absolute(), Path.home()).install()
    click.echo(f"Installed: {made}")


@service.command()
@dir_option
def uninstall(folder: Path) -> None:
    """Stop and remove it; key and settings stay."""
    from quartet.sync.agent.managers import Manager

    with explained():
        Manager(this_system(), folder.absolute(), Path.home()).uninstall()
    click.echo("Removed.")


@contextmanager
def explained() -> Iterator[None]:
    try:
        yield
    except (AgentError, AppError) as error:
        raise click.ClickException(str(error)) from error
