"""Commands of the sync control server."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quartet.command_line import (
    ask_password,
    config_option,
    data_option,
    errors_as_messages,
    settings_for_writing,
)

if TYPE_CHECKING:
    from quartet.sync.accounts.types import Role


@click.group()
def commands() -> None:
    """Manage the sync control server."""


@commands.command()
@data_option
@config_option
def set_password(data: Path | None, config: Path | None) -> None:
    """Set the admin password and sign out all sessions."""
    from quartet.kernel.startup import open_kernel
    from quartet.sync.app import SERVICE
    from quartet.sync.login.service import Login

    password = ask_password()
    with errors_as_messages():
        kernel = open_kernel(SERVICE, settings_for_writing("sync", data, config))
        try:
            Login(kernel.db).set_password(password)
        finally:
            kernel.db.close()
    click.echo("Password saved.")


@commands.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["admin", "editor", "reader"]),
    default="reader",
    show_default=True,
    help="An editor also resolves conflicts and restores versions.",
)
@data_option
@config_option
def set_account(name: str, role: "Role", data: Path | None, config: Path | None) -> None:
    """Add the account NAME, or set its role and password and sign it out."""
    import msgspec

    from quartet.kernel.startup import open_kernel
    from quartet.sync.accounts.types import NewAccount
    from quartet.sync.app import SERVICE
    from quartet.sync.login.service import Login

    password = ask_password()
    with errors_as_messages():
        try:
            given = {"name": name, "password": password, "role": role}
            account = msgspec.convert(given, NewAccount)
        except msgspec.ValidationError as error:
            raise click.UsageError("NAME may contain a-z, 0-9 and @ . _ + -") from error
        kernel = open_kernel(SERVICE, settings_for_writing("sync", data, config))
        try:
            Login(kernel.db).accounts.add_now(account)
        finally:
            kernel.db.close()
    click.echo("Account saved.")
