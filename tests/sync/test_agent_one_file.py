"""The agent that a server sends runs without any installed packages, and without Python."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sync.engines import program_path
from tests.sync.processes import server, until

pytestmark = pytest.mark.nightly

# All that a device needs besides a web client.
COMMANDS = (
    *("chmod", "dirname", "gzip", "mkdir", "mktemp", "mv", "readlink", "rm", "sh"),
    *("sed", "sha256sum", "tar", "uname", "curl"),
)


def test_device_without_python_joins_and_runs(tmp_path: Path) -> None:
    home, commands = tmp_path / "device", tmp_path / "bin"
    home.mkdir()
    commands.mkdir()
    for name in COMMANDS:
        (commands / name).symlink_to(str(shutil.which(name)))
    (commands / "systemctl").write_text("#!/bin/sh\n")
    (commands / "systemctl").chmod(0o755)
    (commands / "syncthing").symlink_to(program_path())
    environment = {"HOME": str(home), "PATH": str(commands)}
    with server(tmp_path, SYNC_HUB="false") as app:
        code = app.post("/api/enrollments", {"name": "laptop"})["code"]
        script = app.api.get("/api/agent/install.sh", timeout=120).text
        done = subprocess.run(
            ["/bin/sh", "-s", "--", code],
            input=script,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Fingerprint" in done.stdout
        unit = (home / ".config/systemd/user/quartet-agent.service").read_text()
        command = re.search("^ExecStart=(.*)$", unit, re.MULTILINE)
        assert command is not None
        parts = shlex.split(command[1])
        assert parts[0] == str(home / ".local/share/quartet-agent/python/python")
        process = subprocess.Popen(parts, env=environment, cwd=home)
        try:
            until(lambda: app.device("laptop").get("online"))
        finally:
            process.terminate()
            process.wait(timeout=60)
