"""The `quartet` command."""

import atexit
import faulthandler
import gc
import sys
import time
from importlib import import_module
from pathlib import Path

import click

from quartet import __version__
from quartet.command_line import (
    config_option,
    data_option,
    errors_as_messages,
    service_argument,
    services_argument,
    settings_for,
    settings_for_writing,
)
from quartet.services import NAMES, service, service_settings

# These commands are imported only when they are used.
LAZY_COMMANDS = {
    "agent": "quartet.sync.agent.commands",
    "cnl-forward": "quartet.downloads.clicknload.commands",
    "doctor": "quartet.doctor",
    "downloads": "quartet.downloads.commands",
    "media": "quartet.media.commands",
    "sync": "quartet.sync.commands",
    "wind": "quartet.wind.commands",
}
# The file descriptor instead of sys.stderr, which click's test runner replaces.
STDERR = 2
# Options that can only be set for one service at a time.
SINGLE_SERVICE_OPTIONS = {"port", "public_url"}


class Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*super().list_commands(ctx), *LAZY_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in LAZY_COMMANDS:
            command: click.Command = import_module(LAZY_COMMANDS[cmd_name]).commands
            return _with_version(command)
        found = super().get_command(ctx, cmd_name)
        return _with_version(found) if found is not None else None


def _with_version(command: click.Command) -> click.Command:
    if not any(each.name == "version" for each in command.params):
        click.version_option(__version__, prog_name="quartet")(command)
    return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="quartet")
def main() -> None:
    """Four self-hosted services: downloads, sync, media and wind."""
    # The system frees the memory of a process that ends. The interpreter would first search all of
    # it for garbage, several times: most of the stop of a server with ten thousand connections.
    atexit.register(gc.freeze)


@main.command()
@services_argument
@click.option("--demo", is_flag=True, help="Start with sample data.")
@click.option("--host", help="Address to listen on; the default is 127.0.0.1.")
@click.option("--port", type=int, help="Port, if only one service is started.")
@click.option("--public-url", help="Public URL, if only one service is started.")
@click.option(
    "--role",
    type=click.Choice(["all", "web", "worker"]),
    help="wind: role of this process, if several share the work.",
)
@click.option("--hub-listen", help="sync: address and port of the hub.")
@click.option("--hub-address", help="sync: address under which devices reach the hub.")
@click.option("--lan-pairing", type=bool, help="sync: LAN devices may ask to join without a code.")
@data_option
@config_option
def serve(
    services: tuple[str, ...],
    demo: bool,
    data: Path | None,
    config: Path | None,
    **options: object,
) -> None:
    """Start the given services, or all four, until Ctrl-C."""
    # Imports create many objects that live as long as the process, and each collection would visit
    # all of them. The server enables it again.
    gc.disable()
    from quartet.serve import serve_all

    names = services or NAMES
    flags = _flags(**options)
    for name in SINGLE_SERVICE_OPTIONS & flags.keys():
        if len(names) > 1:
            raise click.UsageError(f"--{name.replace('_', '-')} requires exactly one service")
    if demo and data is None:
        data = Path("data/demo")
    # Print a stack trace if native code of a library crashes.
    faulthandler.enable(STDERR)
    with errors_as_messages():
        sys.exit(serve_all(names, flags, data, config, demo=demo))


@main.group(name="config")
def config_group() -> None:
    """Show the settings of the services."""


@config_group.command(name="show")
@services_argument
@data_option
@config_option
def config_show(services: tuple[str, ...], data: Path | None, config: Path | None) -> None:
    """Print every setting with its value and origin; secrets are masked."""
    from quartet.kernel.settings import settings_of

    for name in services or NAMES:
        found = service_settings(name)
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
@click.argument("file", type=click.Path(path_type=Path), required=False)
@data_option
@config_option
def backup(name: str, file: Path | None, data: Path | None, config: Path | None) -> None:
    """Write a verified backup of a service to FILE, or to its backup folder.

    The service may be running.
    """
    from quartet.kernel.backup import back_up
    from quartet.kernel.backups import Backups, verify

    with errors_as_messages():
        settings = settings_for_writing(name, data, config)
        if file is None:
            made = Backups(service(name), settings).make_now(settings.backup_keep)
            click.echo(f"{settings.backups / made.name}: {made.bytes} bytes, verified")
            return
        manifest = back_up(service(name), settings, file)
        verify(service(name), settings, file)
    click.echo(f"{file}: {len(manifest.files)} files, schema {manifest.schema_version}")


@main.command()
@service_argument
@data_option
@config_option
def backups(name: str, data: Path | None, config: Path | None) -> None:
    """List the backups in the backup folder of a service, newest first."""
    from quartet.kernel.backups import Backups

    settings = settings_for(name, {}, data, config).values
    for each in Backups(service(name), settings).listed():
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.created_at))
        state = "verified" if each.verified_at else "not verified"
        click.echo(f"{when}  {each.bytes:>12}  {state:12}  {settings.backups / each.name}")


@main.command()
@service_argument
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--replace", is_flag=True, help="Replace the data of a stopped service; it is kept aside."
)
@data_option
@config_option
def restore(name: str, file: Path, replace: bool, data: Path | None, config: Path | None) -> None:
    """Restore a backup into an empty data folder."""
    from quartet.kernel.backup import restore as restore_backup
    from quartet.kernel.backups import restore_over
    from quartet.kernel.lock import FolderLock

    with errors_as_messages():
        settings = settings_for_writing(name, data, config)
        if not replace:
            manifest = restore_backup(service(name), settings, file)
        else:
            lock = FolderLock(settings.data)
            try:
                manifest, kept = restore_over(service(name), settings, file)
            finally:
                lock.release()
            click.echo(f"the data from before is kept as {kept}")
    click.echo(f"{settings.data}: as of version {manifest.version}")


@main.command()
@services_argument
@click.option("--to", metavar="URL", help="Copy the data to this PostgreSQL database, verified.")
@data_option
@config_option
def migrate(
    services: tuple[str, ...], to: str | None, data: Path | None, config: Path | None
) -> None:
    """Upgrade the databases now; `serve` also does this at start-up."""
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
        # Rows written during the copy would be missing in the target, so lock the data folder.
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
    """Exit with 0 if the given services respond; for containers and monitoring."""
    from quartet.healthcheck import problem

    for name in services or NAMES:
        with errors_as_messages():
            settings = settings_for(name, {}, None, config).values
        if found := problem(settings):
            raise click.ClickException(f"{name}: {found}")


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL; see `docs/setup.md`."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101
    click.echo(found(main, {}, "quartet", "_QUARTET_COMPLETE").source())


def _flags(**flags: object) -> dict[str, object]:
    return {name: value for name, value in flags.items() if value is not None}
