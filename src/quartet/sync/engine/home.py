"""The folder in which an engine keeps its key and configuration."""

import os
import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from quartet.kernel.errors import AppError
from quartet.sync.engine.program import Program

GENERATE_SECONDS = 60
# An engine that only its control server talks to: no discovery, relays, reports or upgrades.
_QUIET = {
    "globalAnnounceEnabled": "false",
    "localAnnounceEnabled": "false",
    "relaysEnabled": "false",
    "natEnabled": "false",
    "urAccepted": "-1",
    "autoUpgradeIntervalH": "0",
    "crashReportingEnabled": "false",
    "startBrowser": "false",
    # An empty one; without any the engine takes its default.
    "stunServer": "",
    "reconnectionIntervalS": "5",
    # A limit somebody has set counts at home as well.
    "limitBandwidthInLan": "true",
    # After a laptop wakes up the engine would exit to be started anew.
    "restartOnWakeup": "false",
}


def prepare_home(program: Program, home: Path, listen: Sequence[str]) -> None:
    """Makes the home if there is none; its options are set before the engine reads them."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.chmod(0o700)
    config = home / "config.xml"
    fresh = not config.exists()
    if fresh:
        _generate(program, home)
    # Written by the engine into a folder only we can write to.
    tree = ElementTree.parse(config)  # noqa: S314
    root = tree.getroot()
    if fresh:
        for folder in root.findall("folder"):
            root.remove(folder)
        _close_gui(root)
    _set_options(root, listen)
    part = config.with_suffix(".part")
    with open(part, "wb", opener=private) as file:
        tree.write(file)
    part.replace(config)


def _generate(program: Program, home: Path) -> None:
    done = subprocess.run(  # noqa: S603
        program.generate(home),
        env=program.environment(),
        capture_output=True,
        timeout=GENERATE_SECONDS,
        check=False,
    )
    if done.returncode or not (home / "config.xml").exists():
        words = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise AppError(500, "engine_home_failed", reason=words[-300:])


def _close_gui(root: ElementTree.Element) -> None:
    """Its own pages would let in every local user: nobody knows this password."""
    gui = root.find("gui")
    if gui is not None:
        _set(gui, "user", ["quartet"])
        _set(gui, "password", [secrets.token_urlsafe(32)])


def _set_options(root: ElementTree.Element, listen: Sequence[str]) -> None:
    options = root.find("options")
    if options is None:
        options = ElementTree.SubElement(root, "options")
    _set(options, "listenAddress", listen)
    for name, value in _QUIET.items():
        _set(options, name, [value])


def _set(parent: ElementTree.Element, name: str, values: Sequence[str]) -> None:
    for old in parent.findall(name):
        parent.remove(old)
    for value in values:
        ElementTree.SubElement(parent, name).text = value


def private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
