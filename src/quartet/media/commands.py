"""Commands of the media service."""

from pathlib import Path

import click

from quartet.cli import config_option, data_option, errors_as_messages, settings_for


@click.group()
def commands() -> None:
    """Manage the media service."""


@commands.command()
@data_option
@config_option
def show_token(data: Path | None, config: Path | None) -> None:
    """Print the access token with which you sign in.

    Run it with the settings of the service. The token always works, even while an address is
    locked out after wrong ones.
    """
    with errors_as_messages():
        settings = settings_for("media", {}, data, config).values
    if settings.token is None:
        raise click.ClickException("no APP_TOKEN is set: the service is open on this machine")
    click.echo(settings.token)
