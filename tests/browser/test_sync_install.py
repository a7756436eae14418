"""A new device opens the pairing link and runs the command shown there."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.visits import ENGLISH_WIDE, GERMAN_PHONE, Visit, assert_accessible
from tests.sync.engines import program_path
from tests.sync.processes import server, until

# Records its calls; the test runs the installed service itself.
SYSTEMCTL = '#!/bin/sh\necho "$@" >> "$HOME/systemctl.log"\n'


def device_environment(home: Path) -> dict[str, str]:
    """Return an environment with the base Python, Syncthing and no way to other servers."""
    commands = home / "bin"
    commands.mkdir(parents=True)
    (commands / "systemctl").write_text(SYSTEMCTL)
    (commands / "systemctl").chmod(0o755)
    version = ".".join(map(str, sys.version_info[:2]))
    (commands / f"python{version}").symlink_to(Path(sys.base_prefix) / f"bin/python{version}")
    nowhere = {f"{kind}_proxy": "http://127.0.0.1:9" for kind in ("http", "https", "all")}
    path = f"{commands}:{program_path().parent}:{os.environ['PATH']}"
    return {"HOME": str(home), "PATH": path, "no_proxy": "127.0.0.1", **nowhere}


@contextmanager
def service(home: Path, environment: dict[str, str]) -> Iterator[None]:
    """Run the installed service as systemd would."""
    unit = (home / ".config/systemd/user/quartet-agent.service").read_text()
    command = re.search("^ExecStart=(.*)$", unit, re.MULTILINE)
    assert command is not None
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(shlex.split(command[1]), stderr=log, env=environment, cwd=home)
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=60)
        sys.stderr.write((home / "log").read_text()[-3000:])


@pytest.mark.nightly
def test_device_joins_with_command_of_pairing_link(tmp_path: Path, visit: Visit) -> None:
    home = tmp_path / "device"
    environment = device_environment(home)
    with server(tmp_path) as sync:
        link = sync.post("/api/enrollments", {"name": "laptop"})["link"]
        page = visit(link, ENGLISH_WIDE)
        command = page.get_by_label("Command", exact=True)
        expect(command).to_be_visible(timeout=60_000)
        assert_accessible(page)
        text = command.inner_text()
        done = subprocess.run(
            ["/bin/sh", "-c", text], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "restart quartet-agent.service" in (home / "systemctl.log").read_text()
        with service(home, environment):
            until(lambda: sync.device("laptop").get("online"))
        phone = visit(link, GERMAN_PHONE)
        phone.get_by_text("macOS").click()
        expect(phone.get_by_text("quartet-suite mit pip installieren")).to_be_visible()
        assert_accessible(phone)
        visit.close()
