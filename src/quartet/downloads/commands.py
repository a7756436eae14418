"""Commands of the download manager."""

from pathlib import Path

import click

from quartet.command_line import (
    ask_password,
    config_option,
    data_option,
    errors_as_messages,
    settings_for_writing,
)


@click.group()
def commands() -> None:
    """Manage the download manager."""


@commands.command()
@click.option("--user", help="User name; by default the one that exists, or admin.")
@data_option
@config_option
def set_password(user: str | None, data: Path | None, config: Path | None) -> None:
    """Create the user or set a new password, and sign out all sessions."""
    from quartet.downloads.app import SERVICE
    from quartet.downloads.login.service import Login
    from quartet.kernel.startup import open_kernel

    password = ask_password()
    with errors_as_messages():
        kernel = open_kernel(SERVICE, settings_for_writing("downloads", data, config))
        try:
            name = Login(kernel).set_password(user, password)
        finally:
            kernel.db.close()
    click.echo(f"Password saved for {name}.")
