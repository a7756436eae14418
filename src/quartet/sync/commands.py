"""Commands of the sync control server."""

from pathlib import Path

import click

from quartet.cli import (
    ask_password,
    config_option,
    data_option,
    errors_as_messages,
    settings_for_writing,
)


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
