"""The `quartet wind` command."""

import sys
from pathlib import Path

import click

from quartet.cli import config_option, data_option, errors_as_messages


@click.group(name="wind")
def commands() -> None:
    """Run additional processes of a large forecast site."""


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
