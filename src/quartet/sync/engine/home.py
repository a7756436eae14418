"""The folder with an engine's key and configuration."""

import os
import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from quartet.sync.engine.failure import exit_error
from quartet.sync.engine.program import VERSION_FILE, Program

GENERATE_SECONDS = 60
# The engine talks only to its configured peers: no discovery, relays, usage reports or upgrades.
_OPTIONS = {
    "globalAnnounceEnabled": "false",
    "localAnnounceEnabled": "false",
    "relaysEnabled": "false",
    "natEnabled": "false",
    "urAccepted": "-1",
    "autoUpgradeIntervalH": "0",
    "crashReportingEnabled": "false",
    "startBrowser": "false",
    # Explicitly empty; if the element is missing, the engine uses its default server.
    "stunServer": "",
    "reconnectionIntervalS": "5",
    # Apply a configured limit on the local network too.
    "limitBandwidthInLan": "true",
    # Otherwise the engine exits and expects a restart when a laptop wakes up.
    "restartOnWakeup": "false",
}


def prepare_home(program: Program, home: Path, listen: Sequence[str]) -> None:
    """Create the home if necessary and set its options before the engine reads them."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.chmod(0o700)
    config = home / "config.xml"
    fresh = not config.exists()
    if fresh:
        _generate(program, home)
    # The engine wrote this file, in a folder that only we can write to.
    tree = ElementTree.parse(config)  # noqa: S314
    root = tree.getroot()
    if fresh:
        for folder in root.findall("folder"):
            root.remove(folder)
        _close_gui(root)
    _set_options(root, listen)
    part = config.with_suffix(".part")
    with open(part, "wb", opener=private_opener) as file:
        tree.write(file)
    part.replace(config)
    (home / VERSION_FILE).write_text(program.version)


def _generate(program: Program, home: Path) -> None:
    done = subprocess.run(  # noqa: S603
        program.generate(home),
        env=program.environment(),
        capture_output=True,
        timeout=GENERATE_SECONDS,
        check=False,
    )
    if done.returncode or not (home / "config.xml").exists():
        lines = (done.stdout + done.stderr).decode(errors="replace").splitlines()
        raise exit_error(done.returncode, lines)


def _close_gui(root: ElementTree.Element) -> None:
    """Set a random GUI password: Syncthing's own GUI would otherwise be open to local users."""
    gui = root.find("gui")
    if gui is not None:
        _set(gui, "user", ["quartet"])
        _set(gui, "password", [secrets.token_urlsafe(32)])


def _set_options(root: ElementTree.Element, listen: Sequence[str]) -> None:
    options = root.find("options")
    if options is None:
        options = ElementTree.SubElement(root, "options")
    _set(options, "listenAddress", listen)
    for name, value in _OPTIONS.items():
        _set(options, name, [value])


def _set(parent: ElementTree.Element, name: str, values: Sequence[str]) -> None:
    for old in parent.findall(name):
        parent.remove(old)
    for value in values:
        ElementTree.SubElement(parent, name).text = value


def private_opener(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
