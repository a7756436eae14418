"""Installs and removes the agent with the service manager of each operating system."""

import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.lock import is_running
from quartet.sync.agent.runner import STOP_FILE
from quartet.sync.agent.service_definitions import (
    LABEL,
    NAME,
    launchd_plist,
    scheduled_task,
    systemd_unit,
)
from quartet.sync.protocol import System

EXIT_SECONDS = 60.0
LOOK_SECONDS = 0.1

# Runs a service manager command and returns True on success.
Run = Callable[[Sequence[str]], bool]


def run_command(command: Sequence[str]) -> bool:
    try:
        # The command consists of constants and our own paths.
        done = subprocess.run(list(command), capture_output=True, check=False)  # noqa: S603
    except OSError:
        return False
    return done.returncode == 0


def agent_command(folder: Path) -> list[str]:
    """Return the command that starts this program, whether installed as a package, as a single file
    or as a program that contains Python.
    """
    start: list[str] = []
    if not getattr(sys, "frozen", False):
        packed = zipfile.is_zipfile(sys.argv[0])
        start = [str(Path(sys.argv[0]).absolute())] if packed else ["-m", "quartet"]
    return [sys.executable, *start, "agent", "run", "--dir", str(folder)]


@dataclass(frozen=True)
class ServiceManager:
    system: System
    folder: Path
    home: Path
    run: Run = run_command

    def install(self) -> Path:
        """Install the service and start or restart it; return the path of its definition."""
        command = agent_command(self.folder)
        if self.system == "linux":
            unit = self._unit()
            _write(unit, systemd_unit(command).encode())
            self._run_checked("systemctl", "--user", "daemon-reload")
            self._run_checked("systemctl", "--user", "enable", unit.name)
            self._run_checked("systemctl", "--user", "restart", unit.name)
            return unit
        if self.system == "macos":
            plist = self._plist()
            _write(plist, launchd_plist(command, self.folder / "agent.log"))
            self.run(["launchctl", "bootout", f"{_domain()}/{LABEL}"])
            self.wait_for_exit()
            self._run_checked("launchctl", "bootstrap", _domain(), str(plist))
            return plist
        if self.system == "windows":
            return self._install_task(command)
        raise AgentError(
            "no supported service manager on this system; start `quartet agent run` yourself"
        )

    def uninstall(self) -> None:
        """Remove the service and wait until the agent has exited."""
        if self.system == "linux":
            self.run(["systemctl", "--user", "disable", "--now", self._unit().name])
            self._unit().unlink(missing_ok=True)
            self.run(["systemctl", "--user", "daemon-reload"])
        elif self.system == "macos":
            self.run(["launchctl", "bootout", f"{_domain()}/{LABEL}"])
            self._plist().unlink(missing_ok=True)
        elif self.system == "windows":
            self.run(["schtasks", "/Delete", "/F", "/TN", NAME])
            self.request_stop()
        else:
            raise AgentError("no supported service manager on this system")
        self.wait_for_exit()

    def request_stop(self) -> None:
        """Request a stop with a file: ending the Windows task would leave the engine running."""
        (self.folder / STOP_FILE).unlink(missing_ok=True)
        (self.folder / STOP_FILE).touch()

    def wait_for_exit(self, seconds: float = EXIT_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while is_running(self.folder):
            if time.monotonic() > deadline:
                raise AgentError("the agent did not stop in time")
            time.sleep(LOOK_SECONDS)

    def _install_task(self, command: Sequence[str]) -> Path:
        task = self.folder / "task.xml"
        _write(task, scheduled_task(command).encode("utf-16"))
        if is_running(self.folder):
            self.request_stop()
            self.wait_for_exit()
        self._run_checked("schtasks", "/Create", "/F", "/TN", NAME, "/XML", str(task))
        self._run_checked("schtasks", "/Run", "/TN", NAME)
        return task

    def _run_checked(self, *command: str) -> None:
        if not self.run(command):
            raise AgentError(f"command failed: {' '.join(command)}")

    def _unit(self) -> Path:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or self.home / ".config")
        return base / "systemd/user" / f"{NAME}.service"

    def _plist(self) -> Path:
        return self.home / "Library/LaunchAgents" / f"{LABEL}.plist"


def _domain() -> str:
    return f"gui/{os.getuid()}" if sys.platform != "win32" else ""


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
