"""`quartet serve`: runs the given services in one process.

It listens before it imports the services, which takes most of the start: clients that connect in
the meantime wait instead of being refused. What is imported here at the top is therefore little.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from quartet.command_line import settings_for
from quartet.kernel.lean_imports import import_libraries
from quartet.kernel.listener import Listener, can_listen, cannot_listen, next_port
from quartet.kernel.lock import FolderLock
from quartet.kernel.log import set_up_logging
from quartet.kernel.privileges import drop_privileges
from quartet.kernel.settings import Settings, SettingsError
from quartet.services import service, service_settings

if TYPE_CHECKING:
    from quartet.kernel.server import ServedApp
    from quartet.kernel.startup import StartedService

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

    if sys.stdin is None or not sys.stdin.isatty():
        # It asks for a reload, which has to wait until the server runs; see `server.run`.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    settings = read_settings()
    if demo:
        settings = {name: with_free_port(name, each) for name, each in settings.items()}
    first = settings[names[0]]
    set_up_logging(first.log_level, first.log_format)
    drop_privileges([settings[name].data for name in names], os.environ)
    with ExitStack() as held:
        for each in settings.values():
            held.callback(FolderLock(each.data).release)
        listeners = {name: _listen(name, each, held) for name, each in settings.items()}
        code = _run(settings, listeners, demo=demo, reload=lambda: _can_reload(read_settings))
    from quartet.kernel.server import EXIT_RELOAD

    if code == EXIT_RELOAD:
        # The process id stays, so that systemd and containers keep watching this process.
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 no shell
    return code


def _listen(name: str, settings: Settings, held: ExitStack) -> Listener | None:
    if settings.database_url is not None:
        # Another process can answer: a load balancer that is refused here asks it at once.
        return None
    listener = Listener()
    try:
        listener.listen(settings.host, settings.port)
    except (OSError, ValueError) as error:
        raise cannot_listen(name, settings.host, settings.port, error) from error
    held.callback(listener.close)
    return listener


def _run(
    settings: Mapping[str, Settings],
    listeners: Mapping[str, Listener | None],
    *,
    demo: bool,
    reload: Callable[[], bool],
) -> int:
    import_libraries()
    from quartet.kernel.backups import restore_at_start
    from quartet.kernel.server import Stop, run
    from quartet.kernel.startup import start

    stop = Stop()
    for name, each in settings.items():
        restore_at_start(service(name), each)
    started = [start(service(name), each, demo=demo, stop=stop) for name, each in settings.items()]
    return run(
        [_served(each, listeners[each.kernel.service]) for each in started],
        ready=lambda listening: _print_table(started, listening),
        stop=stop,
        drain=max(each.drain_seconds for each in settings.values()),
        reload=reload,
    )


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
    found = service_settings(name)
    settings: Settings = settings_for(name, flags, data, config).values
    if settings.role not in found.roles:
        raise SettingsError(f"{name} does not support the role {settings.role}")
    prepared: Settings = found.prepare(settings)
    return service(name).prepare_demo(prepared) if demo else prepared


def with_free_port(name: str, settings: Settings) -> Settings:
    """Move a demo from a default port that is taken to the next free one."""
    chosen = settings.port != service_settings(name).settings().port
    if chosen or can_listen(settings.host, settings.port):
        return settings
    other = next_port(settings.host, settings.port)
    click.echo(f"{name}: port {settings.port} is taken, using {other}", err=True)
    return replace(settings, port=other)


def _served(started: "StartedService[Any]", listener: Listener | None) -> "ServedApp":
    from quartet.kernel.server import ServedApp

    kernel = started.kernel
    return ServedApp(
        name=kernel.service,
        app=started.app,
        host=kernel.settings.host,
        port=kernel.settings.port,
        before_stop=kernel.events.close,
        immediate_response=started.app.immediate_response,
        listener=listener,
    )


def _print_table(
    started: "Sequence[StartedService[Any]]", listening: "Sequence[ServedApp]"
) -> None:
    rows = [
        (served.name, address := _address(each, served), each.welcome.replace("{address}", address))
        for each, served in zip(started, listening, strict=True)
    ]
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"  {name:{first}}  {address:{second}}  {text}" for name, address, text in rows]
    sys.stdout.write("\n" + "\n".join(lines) + "\n\n  Press Ctrl-C to stop.\n\n")
    sys.stdout.flush()


def _address(started: "StartedService[Any]", served: "ServedApp") -> str:
    settings = started.kernel.settings
    if settings.public_url:
        return str(settings.public_url)
    host = f"[{served.host}]" if ":" in served.host else served.host
    return f"http://{host}:{served.port}{settings.base_path}/"
