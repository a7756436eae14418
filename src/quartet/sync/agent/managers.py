"""Installs the agent with the service manager of each system, and removes it again."""

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
from quartet.sync.agent.units import LABEL, NAME, launchd_plist, scheduled_task, systemd_unit
from quartet.sync.protocol import System

EXIT_SECONDS = 60.0
LOOK_SECONDS = 0.1

# Runs a command of the service manager; whether it succeeded.
Run = Callable[[Sequence[str]], bool]


def run_command(command: Sequence[str]) -> bool:
    try:
        # Fixed words and paths of our own.
        done = subprocess.run(list(command), capture_output=True, check=False)  # noqa: S603
    except OSError:
        return False
    return done.returncode == 0


def agent_command(folder: Path) -> list[str]:
    """This very program, be it installed or one file."""
    start = (
        [str(Path(sys.argv[0]).absolute())]
        if zipfile.is_zipfile(sys.argv[0])
        else ["-m", "quartet"]
    )
    return [sys.executable, *start, "agent", "run", "--dir", str(folder)]


@dataclass(frozen=True)
class Manager:
    system: System
    folder: Path
    home: Path
    run: Run = run_command

    def install(self) -> Path:
        """Starts it too; one that runs already is started anew. Returns the definition."""
        command = agent_command(self.folder)
        if self.system == "linux":
            unit = self._unit()
            _write(unit, systemd_unit(command).encode())
            self._must("systemctl", "--user", "daemon-reload")
            self._must("systemctl", "--user", "enable", unit.name)
            self._must("systemctl", "--user", "restart", unit.name)
            return unit
        if self.system == "macos":
            plist = self._plist()
            _write(plist, launchd_plist(command, self.folder / "agent.log"))
            self.run(["launchctl", "bootout", f"{_domain()}/{LABEL}"])
            self.wait_for_exit()
            self._must("launchctl", "bootstrap", _domain(), str(plist))
            return plist
        if self.system == "windows":
            return self._install_task(command)
        raise AgentError("no service manager is known here; start `quartet agent run` yourself")

    def uninstall(self) -> None:
        """Returns when the agent has exited."""
        if self.system == "linux":
            self.run(["systemctl", "--user", "disable", "--now", self._unit().name])
            self._unit().unlink(missing_ok=True)
            self.run(["systemctl", "--user", "daemon-reload"])
        elif self.system == "macos":
            self.run(["launchctl", "bootout", f"{_domain()}/{LABEL}"])
            self._plist().unlink(missing_ok=True)
        elif self.system == "windows":
            self.run(["schtasks", "/Delete", "/F", "/TN", NAME])
            self.ask_to_stop()
        else:
            raise AgentError("no service manager is known here")
        self.wait_for_exit()

    def ask_to_stop(self) -> None:
        """Ending a task of Windows would leave the engine behind."""
        (self.folder / STOP_FILE).unlink(missing_ok=True)
        (self.folder / STOP_FILE).touch()

    def wait_for_exit(self, seconds: float = EXIT_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while is_running(self.folder):
            if time.monotonic() > deadline:
                raise AgentError("the agent does not stop")
            time.sleep(LOOK_SECONDS)

    def _install_task(self, command: Sequence[str]) -> Path:
        task = self.folder / "task.xml"
        _write(task, scheduled_task(command).encode("utf-16"))
        if is_running(self.folder):
            self.ask_to_stop()
            self.wait_for_exit()
        self._must("schtasks", "/Create", "/F", "/TN", NAME, "/XML", str(task))
        self._must("schtasks", "/Run", "/TN", NAME)
        return task

    def _must(self, *command: str) -> None:
        if not self.run(command):
            raise AgentError(f"failed: {' '.join(command)}")

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
