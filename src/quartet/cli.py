"""The one command."""

import faulthandler
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from quartet import __version__
from quartet.services import NAMES, service

SETTINGS_FILE = Path("quartet.toml")
# Commands of one service live beside it and are imported only when used.
SERVICE_COMMANDS = {
    "agent": "quartet.sync.agent.commands",
    "cnl-forward": "quartet.downloads.clicknload.commands",
    "sync": "quartet.sync.commands",
    "wind": "quartet.wind.commands",
}
# By its number: whoever tests commands puts something else in the place of the stream.
STDERR = 2
# Options that would mean the same to all services, and cannot.
SINGLE_SERVICE_OPTIONS = {"port", "public_url"}


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *SERVICE_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in SERVICE_COMMANDS:
            command: click.Command = import_module(SERVICE_COMMANDS[cmd_name]).commands
            return command
        return super().get_command(ctx, cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quartet")
def main() -> None:
    """Four self-hosted services: downloads, sync, media and wind."""


services_argument = click.argument("services", nargs=-1, type=click.Choice(NAMES))
service_argument = click.argument("name", metavar="SERVICE", type=click.Choice(NAMES))
data_option = click.option(
    "--data", type=click.Path(path_type=Path), help="Folder in which each service has its own."
)
config_option = click.option(
    "--config", type=click.Path(path_type=Path), help=f"Settings file instead of {SETTINGS_FILE}."
)


@main.command()
@services_argument
@click.option("--demo", is_flag=True, help="Fill empty services with things to try.")
@click.option("--host", help="Address to listen on; 127.0.0.1 unless told otherwise.")
@click.option("--port", type=int, help="Port, when one service is served.")
@click.option("--public-url", help="Address people use, when one service is served.")
@click.option(
    "--role",
    type=click.Choice(["all", "web", "worker"]),
    help="wind: what this process does, when several share the work.",
)
@click.option("--hub-listen", help="sync: address and port of the hub.")
@click.option("--hub-address", help="sync: where devices dial the hub.")
@click.option("--lan-pairing", type=bool, help="sync: let devices of the LAN ask without a code.")
@data_option
@config_option
def serve(
    services: tuple[str, ...],
    demo: bool,
    data: Path | None,
    config: Path | None,
    **options: object,
) -> None:
    """Start the services named, or all four, until Ctrl-C."""
    from quartet.serve import serve_all

    names = services or NAMES
    flags = _flags(**options)
    for name in SINGLE_SERVICE_OPTIONS & flags.keys():
        if len(names) > 1:
            raise click.UsageError(f"--{name.replace('_', '-')} goes with one service")
    if demo and data is None:
        data = Path("data/demo")
    # Should native code of a library crash, the log says where; there is nothing else to go by.
    faulthandler.enable(STDERR)
    with errors_as_messages():
        sys.exit(serve_all(names, flags, data, config, demo=demo))


@main.group(name="config")
def config_group() -> None:
    """What the services are set to."""


@config_group.command(name="show")
@services_argument
@data_option
@config_option
def config_show(services: tuple[str, ...], data: Path | None, config: Path | None) -> None:
    """Every setting, its value and where it comes from; secrets are masked."""
    from quartet.kernel.settings import settings_of

    for name in services or NAMES:
        found = service(name)
        with errors_as_messages():
            loaded = settings_for(name, {}, data, config)
        click.echo(f"[{name}]")
        for setting in settings_of(found.settings, found.prefix):
            value = getattr(loaded.values, setting.name)
            shown = "***" if setting.secret and value else value
            click.echo(
                f"{setting.name:24} {shown!s:36} {loaded.origins[setting.name]:12} "
                f"{setting.variable}"
            )


@main.command()
@service_argument
@click.argument("file", type=click.Path(path_type=Path))
@data_option
@config_option
def backup(name: str, file: Path, data: Path | None, config: Path | None) -> None:
    """Write all a service knows into FILE; it may run meanwhile."""
    from quartet.kernel.backup import back_up

    with errors_as_messages():
        manifest = back_up(service(name), settings_for(name, {}, data, config).values, file)
    click.echo(f"{file}: {len(manifest.files)} files, schema {manifest.schema_version}")


@main.command()
@service_argument
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@data_option
@config_option
def restore(name: str, file: Path, data: Path | None, config: Path | None) -> None:
    """Restore a backup into an empty data folder."""
    from quartet.kernel.backup import restore as restore_backup

    with errors_as_messages():
        settings = settings_for_writing(name, data, config)
        manifest = restore_backup(service(name), settings, file)
    click.echo(f"{settings.data}: as of version {manifest.version}")


@main.command()
@services_argument
@click.option("--to", metavar="URL", help="Copy the data to this PostgreSQL, checked row by row.")
@data_option
@config_option
def migrate(
    services: tuple[str, ...], to: str | None, data: Path | None, config: Path | None
) -> None:
    """Bring databases up to date now; `serve` does it at every start."""
    from quartet.kernel.startup import open_kernel

    for name in services or NAMES:
        if to is not None:
            _copy_to(name, to, data, config)
            continue
        with errors_as_messages():
            kernel = open_kernel(service(name), settings_for_writing(name, data, config))
        click.echo(f"{name}: schema {kernel.schema_version}")
        kernel.db.close()


def _copy_to(name: str, url: str, data: Path | None, config: Path | None) -> None:
    from quartet.kernel.db import copy_database, open_database, open_existing
    from quartet.kernel.lock import FolderLock

    with errors_as_messages():
        settings = settings_for_writing(name, data, config)
        source = open_existing(settings.data, name)
        # What is written while rows are copied would be left behind.
        lock = FolderLock(settings.data)
        target = open_database(settings.data, name, url)
        try:
            copied = copy_database(source, target, service(name).history)
        finally:
            source.close()
            target.close()
            lock.release()
    click.echo(f"{name}: {copied} rows copied and compared")


@main.command()
@service_argument
def openapi(name: str) -> None:
    """Print the OpenAPI document of a service."""
    from quartet.kernel.startup import openapi_of

    click.echo(openapi_of(service(name)), nl=False)


@main.command()
@services_argument
@config_option
def healthcheck(services: tuple[str, ...], config: Path | None) -> None:
    """Exit 0 when the services named answer, for containers and monitors."""
    from quartet.healthcheck import problem

    for name in services or NAMES:
        with errors_as_messages():
            settings = settings_for(name, {}, None, config).values
        if found := problem(settings):
            raise click.ClickException(f"{name}: {found}")


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete our commands; see `docs/setup.md`."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101
    click.echo(found(main, {}, "quartet", "_QUARTET_COMPLETE").source())


def settings_for(
    name: str, flags: dict[str, object], data: Path | None, config: Path | None
) -> Any:
    """The settings of one service; `data` is the folder that holds all services' folders."""
    from quartet.kernel.settings import load, read_file

    found = service(name)
    if data is not None:
        flags = {**flags, "data": data / name}
    file = config or (SETTINGS_FILE if SETTINGS_FILE.is_file() else None)
    section = read_file(file, NAMES).get(name) if file else None
    return load(found.settings, found.prefix, section=section, environ=os.environ, flags=flags)


def settings_for_writing(name: str, data: Path | None, config: Path | None) -> Any:
    """For a command that writes: in a container its files must belong to the service's user."""
    from quartet.kernel.privileges import drop_privileges

    settings = settings_for(name, {}, data, config).values
    drop_privileges([settings.data], os.environ)
    return settings


def _flags(**flags: object) -> dict[str, object]:
    return {name: value for name, value in flags.items() if value is not None}


class WrongSettings(click.ClickException):
    """Starting again will not help: service managers are told not to try."""

    exit_code = 2


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turns what an operator can mend into one line instead of a trace."""
    from quartet.kernel.backup import BackupError
    from quartet.kernel.db import CopyError, NewerSchema, NoDatabase
    from quartet.kernel.errors import AppError
    from quartet.kernel.lock import FolderInUse
    from quartet.kernel.settings import SettingsError

    try:
        yield
    except (SettingsError, NewerSchema) as error:
        raise WrongSettings(str(error)) from error
    except (BackupError, CopyError, NoDatabase, AppError) as error:
        raise click.ClickException(str(error)) from error
    except FolderInUse as error:
        raise click.ClickException(f"{error}: another quartet works in this folder") from error
