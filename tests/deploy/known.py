"""What the program itself knows, to hold the deployment files against."""

from pathlib import Path

from quartet.kernel.settings import settings_of
from quartet.services import NAMES, service

ROOT = Path(__file__).parent.parent.parent
DEPLOY = ROOT / "deploy"

# Not settings of a service: who the program becomes, and the time zone of the system.
OF_THE_CONTAINER = frozenset({"PUID", "PGID", "UMASK", "TZ"})
# Listened on by features of their own: Click'n'Load and the hub of sync.
MORE_PORTS = frozenset({9666, 22001})


def variables(name: str) -> set[str]:
    """Every variable a service reads, the `_FILE` twins of its secrets included."""
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
