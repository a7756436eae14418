"""Ports and settings of the services, which the deployment files must match."""

from pathlib import Path

from quartet.kernel.settings import settings_of
from quartet.services import NAMES, service

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"

# Not settings of a service: the user the program runs as, and the system's time zone.
CONTAINER_VARIABLES = frozenset({"PUID", "PGID", "UMASK", "TZ"})
# Ports of single features: Click'n'Load, torrents and the hub of sync.
EXTRA_PORTS = frozenset({"9666", "6881", "6881/udp", "22001"})


def variables(name: str) -> set[str]:
    """Return every variable a service reads, including the `_FILE` variants of its secrets."""
    found = service(name)
    settings = settings_of(found.settings, found.prefix)
    twins = {f"{setting.variable}_FILE" for setting in settings if setting.secret}
    return {setting.variable for setting in settings} | twins


def variable_of(name: str, setting: str) -> str:
    found = service(name)
    return next(
        each.variable for each in settings_of(found.settings, found.prefix) if each.name == setting
    )


PORTS = {name: service(name).settings().port for name in NAMES}

# What containers publish besides the web port: Click'n'Load for this machine, torrents for
# their peers, the hub for devices.
PUBLISHED = {
    "downloads": ["127.0.0.1:9666:9666", "6881:6881", "6881:6881/udp"],
    "sync": ["22001:22001"],
}


def published_ports(name: str) -> list[str]:
    return [f"127.0.0.1:{PORTS[name]}:{PORTS[name]}", *PUBLISHED.get(name, [])]
