"""The agent as a service: definitions and commands for each service manager."""

import os
import plistlib
import shutil
import subprocess
import sys
import threading
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from quartet.cli import main
from quartet.sync.agent.errors import AgentError
from quartet.sync.agent.lock import AgentLock
from quartet.sync.agent.service_definitions import launchd_plist, scheduled_task, systemd_unit
from quartet.sync.agent.service_manager import ServiceManager, agent_command

COMMAND = ["/opt/my python/bin/python", "-m", "quartet", "agent", "run", "--dir", '/d/100%"$x']


class RecordedCommands:
    def __init__(self, *failing: str) -> None:
        self.commands: list[str] = []
        self._failing = failing

    def __call__(self, command: Sequence[str]) -> bool:
        self.commands.append(" ".join(command))
        return not any(word in command for word in self._failing)


def test_systemd_unit_is_valid(tmp_path: Path) -> None:
    unit = systemd_unit(COMMAND)
    assert "Restart=on-failure" in unit
    assert '"/d/100%%\\"$$x"' in unit
    if verify := shutil.which("systemd-analyze"):
        file = tmp_path / "quartet-agent.service"
        file.write_text(systemd_unit(["/bin/true", "a b", "100%"]))
        done = subprocess.run(
            [verify, "verify", "--man=no", str(file)], capture_output=True, text=True
        )
        assert str(file) not in done.stderr


def test_launch_agent_runs_at_load_and_is_kept_alive(tmp_path: Path) -> None:
    told = plistlib.loads(launchd_plist(COMMAND, tmp_path / "log"))
    assert told["ProgramArguments"] == COMMAND
    assert (told["RunAtLoad"], told["KeepAlive"]) == (True, True)


def test_scheduled_task_starts_at_logon_and_after_failure() -> None:
    text = scheduled_task(["C:\\py & co\\python.exe", "-m", "quartet", "--dir", "C:\\a b"])
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    task = ElementTree.fromstring(text.encode("utf-16"))
    assert task.find(f".//{space}LogonTrigger") is not None
    assert task.find(f".//{space}RestartOnFailure") is not None
    assert task.findtext(f".//{space}Command") == "C:\\py & co\\python.exe"
    assert task.findtext(f".//{space}Arguments") == '-m quartet --dir "C:\\a b"'
    assert task.findtext(f".//{space}ExecutionTimeLimit") == "PT0S"


def test_service_of_program_that_contains_python_starts_it_directly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/quartet-agent-linux-x86_64")
    expected = ["/opt/quartet-agent-linux-x86_64", "agent", "run", "--dir", str(tmp_path)]
    assert agent_command(tmp_path) == expected


def test_install_and_uninstall_on_linux(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    asked = RecordedCommands()
    manager = ServiceManager("linux", tmp_path / "agent", tmp_path, asked)
    unit = manager.install()
    assert unit == tmp_path / ".config/systemd/user/quartet-agent.service"
    assert agent_command(manager.folder)[-4:] == ["agent", "run", "--dir", str(manager.folder)]
    assert asked.commands[-1] == "systemctl --user restart quartet-agent.service"
    manager.uninstall()
    assert not unit.exists()
    assert "systemctl --user disable --now quartet-agent.service" in asked.commands
    with pytest.raises(AgentError, match="systemctl --user enable"):
        ServiceManager("linux", tmp_path / "agent", tmp_path, RecordedCommands("enable")).install()


@pytest.mark.skipif(sys.platform != "linux", reason="the service managers differ")
def test_command_uninstalls_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "systemctl"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n')
    program.chmod(0o755)
    unit = tmp_path / ".config/systemd/user/quartet-agent.service"
    unit.parent.mkdir(parents=True)
    unit.touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    words = ["agent", "service", "uninstall", "--dir", str(tmp_path / "agent")]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, result.output) == (0, "Removed.\n")
    assert not unit.exists()
    assert "disable --now quartet-agent.service" in (tmp_path / "asked").read_text()


def test_install_and_uninstall_on_macos(tmp_path: Path) -> None:
    asked = RecordedCommands("bootout")
    manager = ServiceManager("macos", tmp_path / "agent", tmp_path, asked)
    plist = manager.install()
    assert asked.commands[-1] == f"launchctl bootstrap gui/{os.getuid()} {plist}"
    manager.uninstall()
    assert not plist.exists()


def test_windows_agent_is_stopped_by_file(tmp_path: Path) -> None:
    asked = RecordedCommands()
    folder = tmp_path / "agent"
    lock = AgentLock(folder)
    manager = ServiceManager("windows", folder, tmp_path, asked)
    with pytest.raises(AgentError, match="did not stop"):
        manager.wait_for_exit(0)
    # The running agent sees the file and exits.
    done = threading.Event()

    def agent() -> None:
        while not (folder / "stop").exists():
            pass
        lock.release()
        done.set()

    thread = threading.Thread(target=agent)
    thread.start()
    manager.install()
    thread.join(60)
    assert done.is_set()
    assert (folder / "task.xml").read_bytes().startswith(b"\xff\xfe")
    assert asked.commands[-1] == "schtasks /Run /TN quartet-agent"
    manager.uninstall()
    assert asked.commands[-1] == "schtasks /Delete /F /TN quartet-agent"


def test_unsupported_system_reports_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="quartet agent run"):
        ServiceManager("other", tmp_path, tmp_path, RecordedCommands()).install()
    with pytest.raises(AgentError, match=r"on this system$"):
        ServiceManager("other", tmp_path, tmp_path, RecordedCommands()).uninstall()
