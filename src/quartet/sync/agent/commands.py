"""Command line of the sync agent."""

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
from quartet.sync.agent.system import default_folder, this_system

LEVEL_VARIABLE = "QUARTET_LOG_LEVEL"

dir_option = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    default=lambda: default_folder(this_system(), Path.home()),
    help="Folder for the agent's key and settings.",
)


@click.group()
def commands() -> None:
    """Manage the sync agent of this device."""


@commands.command()
@click.option(
    "--server", metavar="URL", help="Server address; by default the only server on the LAN."
)
@click.option(
    "--allow",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Allow folders below this one instead of your home and disks; can be repeated.",
)
@click.option("--engine", type=click.Path(path_type=Path), help="Path of the Syncthing program.")
@click.argument("code", required=False)
@dir_option
def join(
    server: str | None,
    allow: tuple[Path, ...],
    engine: Path | None,
    code: str | None,
    folder: Path,
) -> None:
    """Join a server with a pairing CODE, or without one and be approved on the server."""
    from quartet.sync.agent.joining import find_only_server, is_address
    from quartet.sync.agent.joining import join as join_server
    from quartet.sync.protocol import is_code

    with errors_as_messages():
        url = server or find_only_server()
        if not is_address(url):
            raise click.UsageError("--server must be an address such as https://sync.example.org")
        if code is not None and not is_code(code):
            raise click.UsageError(
                "the pairing code is incomplete or mistyped: it has six groups of four letters and"
                " digits, without I, O, 0 and 1"
            )
        done = join_server(
            folder.absolute(), url, code, [each.absolute() for each in allow], engine
        )
    click.echo(f"Server       {url}")
    known = done.server_fingerprint or "unknown, will be pinned at the first contact"
    click.echo(f"Server key   {known}")
    click.echo(f"Fingerprint  {done.fingerprint}")
    if code is None:
        click.echo("Compare the server key, then approve this fingerprint on the server.")


@commands.command()
@dir_option
def run(folder: Path) -> None:
    """Run the agent in the foreground until Ctrl-C."""
    from quartet.kernel.log import set_up_logging
    from quartet.sync.agent.runner import run_agent

    set_up_logging(os.environ.get(LEVEL_VARIABLE, "info"), "console")
    with errors_as_messages():
        asyncio.run(run_agent(folder.absolute()))


@commands.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--remove", is_flag=True, help="Remove these folders from the list.")
@click.option("--reset", is_flag=True, help="Allow your home and mounted disks again.")
@dir_option
def allow(paths: tuple[Path, ...], remove: bool, reset: bool, folder: Path) -> None:
    """Allow the server to browse and share folders below PATHS; without PATHS, print the list."""
    from quartet.sync.agent.allowing import change_allowed

    with errors_as_messages():
        listed = change_allowed(
            folder.absolute(), [each.absolute() for each in paths], remove=remove, reset=reset
        )
    for each in listed:
        click.echo(each)


@commands.command()
@click.argument("ident", metavar="FOLDER")
@dir_option
def password(ident: str, folder: Path) -> None:
    """Set the password of an encrypted FOLDER (its id). It is never sent to the server."""
    from quartet.sync.agent.store import Store

    secret = getpass.getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline()
    if not secret.strip():
        raise click.ClickException("the password is empty")
    with errors_as_messages():
        Store(folder.absolute()).set_password(ident, secret.rstrip("\n"))
    click.echo("Password saved. Every device needs the same one.")


@commands.group()
def service() -> None:
    """Manage the agent as a service of the current user."""


@service.command()
@dir_option
def install(folder: Path) -> None:
    """Install the service and start or restart it."""
    from quartet.sync.agent.service_manager import ServiceManager
    from quartet.sync.agent.store import Store

    with errors_as_messages():
        Store(folder.absolute()).joined()
        made = ServiceManager(this_system(), folder.absolute(), Path.home()).install()
    click.echo(f"Installed: {made}")


@service.command()
@dir_option
def uninstall(folder: Path) -> None:
    """Stop and remove the service; the key and the settings are kept."""
    from quartet.sync.agent.service_manager import ServiceManager

    with errors_as_messages():
        ServiceManager(this_system(), folder.absolute(), Path.home()).uninstall()
    click.echo("Removed.")


@contextmanager
def errors_as_messages() -> Iterator[None]:
    try:
        yield
    except (AgentError, AppError) as error:
        raise click.ClickException(str(error)) from error
