"""`quartet serve`: runs the given services in one process."""

import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from quartet.cli import settings_for
from quartet.kernel.backups import restore_at_start
from quartet.kernel.listener import can_listen, next_port
from quartet.kernel.lock import FolderLock
from quartet.kernel.log import set_up_logging
from quartet.kernel.privileges import drop_privileges
from quartet.kernel.server import EXIT_RELOAD, ServedApp, Stop, run
from quartet.kernel.settings import Settings, SettingsError
from quartet.kernel.startup import StartedService, start
from quartet.services import service

log = logging.getLogger("quartet.server")


def serve_all(
    names: Sequence[str],
    flags: dict[str, object],
    data: Path | None,
    config: Path | None,
    *,
    demo: bool,
) -> int:
    def read_settings() -> dict[str, Settings]:
        return {name: _settings(name, flags, data, config, demo=demo) for name in names}

    settings = read_settings()
    if demo:
        settings = {name: with_free_port(name, each) for name, each in settings.items()}
    first = settings[names[0]]
    set_up_logging(first.log_level, first.log_format)
    drop_privileges([settings[name].data for name in names], os.environ)
    locks = [FolderLock(settings[name].data) for name in names]
    stop = Stop()
    try:
        for name in names:
            restore_at_start(service(name), settings[name])
        started = [start(service(name), settings[name], demo=demo, stop=stop) for name in names]
        code = run(
            [_served(each) for each in started],
            ready=lambda listening: _print_table(started, listening),
            stop=stop,
            drain=max(each.drain_seconds for each in settings.values()),
            reload=lambda: _can_reload(read_settings),
        )
    finally:
        for lock in locks:
            lock.release()
    if code == EXIT_RELOAD:
        # The process id stays, so that systemd and containers keep watching this process.
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 no shell
    return code


def _can_reload(read_settings: Callable[[], object]) -> bool:
    try:
        read_settings()
    except SettingsError as error:
        log.error("the settings are not reloaded: %s", error)
        return False
    log.info("reloading the settings")
    return True


def _settings(
    name: str, flags: dict[str, object], data: Path | None, config: Path | None, *, demo: bool
) -> Settings:
    found = service(name)
    settings: Settings = settings_for(name, flags, data, config).values
    if settings.role not in found.roles:
        raise SettingsError(f"{name} does not support the role {settings.role}")
    prepared: Settings = found.prepare(settings)
    return found.prepare_demo(prepared) if demo else prepared


def with_free_port(name: str, settings: Settings) -> Settings:
    """Move a demo from a default port that is taken to the next free one."""
    chosen = settings.port != service(name).settings().port
    if chosen or can_listen(settings.host, settings.port):
        return settings
    other = next_port(settings.host, settings.port)
    click.echo(f"{name}: port {settings.port} is taken, using {other}", err=True)
    return replace(settings, port=other)


def _served(started: StartedService[Any]) -> ServedApp:
    kernel = started.kernel
    return ServedApp(
        name=kernel.service,
        app=started.app,
        host=kernel.settings.host,
        port=kernel.settings.port,
        before_stop=kernel.events.close,
        immediate_response=started.app.immediate_response,
    )


def _print_table(started: Sequence[StartedService[Any]], listening: Sequence[ServedApp]) -> None:
    rows = [
        (served.name, address := _address(each, served), each.welcome.replace("{address}", address))
        for each, served in zip(started, listening, strict=True)
    ]
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"  {name:{first}}  {address:{second}}  {text}" for name, address, text in rows]
    sys.stdout.write("\n" + "\n".join(lines) + "\n\n  Press Ctrl-C to stop.\n\n")
    sys.stdout.flush()


def _address(started: StartedService[Any], served: ServedApp) -> str:
    settings = started.kernel.settings
    if settings.public_url:
        return str(settings.public_url)
    host = f"[{served.host}]" if ":" in served.host else served.host
    return f"http://{host}:{served.port}{settings.base_path}/"
