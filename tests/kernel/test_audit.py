"""The audit log, and the fail2ban filter that reads it."""

import logging
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quartet.kernel.log import ConsoleFormatter, JsonFormatter
from quartet.services import NAMES, service
from tests.client import client_at, quiet_client_of
from tests.prerequisites import missing_prerequisite
from tests.process import ROOT

pytestmark = pytest.mark.anyio

CLIENT = "203.0.113.7"
FORMATTERS = {"json": JsonFormatter, "console": ConsoleFormatter}
LOGINS: dict[str, tuple[str, dict[str, str]]] = {
    "downloads": ("/api/auth/login", {"user": "ada", "password": "wrong password"}),
    "sync": ("/api/login", {"password": "wrong password"}),
    "media": ("/api/login", {"token": "wrong"}),
    "wind": ("/api/auth/signin/password", {"email": "a@b.example", "password": "wrong password"}),
}
DEPLOY = ROOT / "deploy/fail2ban"
SECONDS = 60


class Lines(logging.Handler):
    def __init__(self, style: str) -> None:
        super().__init__()
        self.setFormatter(FORMATTERS[style]())
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@contextmanager
def audit_lines(style: str) -> Iterator[list[str]]:
    handler = Lines(style)
    logger = logging.getLogger("quartet.audit")
    logger.addHandler(handler)
    yield handler.lines
    logger.removeHandler(handler)


async def failed_logins(name: str, folder: Path, style: str, number: int) -> list[str]:
    """Return the log of failed logins."""
    settings = {"token": "0123456789abcdef"} if name == "media" else {}
    path, body = LOGINS[name]
    async with quiet_client_of(service(name), folder, **settings) as client:
        if name == "sync":
            dependencies = client.started.built.dependencies
            dependencies["login"].set_password("the correct password")  # type: ignore[attr-defined]
        async with client_at(client.started, peer=CLIENT) as stranger:
            with audit_lines(style) as lines:
                for _ in range(number):
                    await stranger.post(path, json=body)
    return lines


@pytest.mark.parametrize("name", NAMES)
async def test_failed_logins_and_lock_out_are_logged(tmp_path: Path, name: str) -> None:
    # Ten failures per minute are allowed, in wind thirty in five minutes.
    number = 31 if name == "wind" else 11
    lines = await failed_logins(name, tmp_path, "console", number)
    assert len(lines) == number
    where = f"client={CLIENT} service={name}"
    path = LOGINS[name][0]
    assert f" warning quartet.audit      login_failed {where} code=wrong_" in lines[0]
    assert f"locked_out {where} code=too_many_attempts path={path} [" in lines[-1]
    assert "wrong password" not in "".join(lines)


@pytest.mark.parametrize(("name", "code"), [("downloads", "signed_out"), ("media", "wrong_token")])
async def test_refused_tokens_are_logged(tmp_path: Path, name: str, code: str) -> None:
    settings = {"token": "0123456789abcdef"} if name == "media" else {}
    async with quiet_client_of(service(name), tmp_path, **settings) as client:
        with audit_lines("console") as lines:
            wrong = {"authorization": "Bearer wrong", "x-forwarded-for": "2001:db8::7"}
            await client.get("/api/system", headers=wrong)
            # Without a token there is nothing to guess.
            await client.get("/api/system")
    [line] = lines
    expected = f"token_refused client=2001:db8::7 service={name} code={code} path=/api/system ["
    assert expected in line


@pytest.fixture
def fail2ban() -> None:
    if shutil.which("fail2ban-server") is None:
        missing_prerequisite("needs fail2ban")


@pytest.mark.usefixtures("fail2ban")
@pytest.mark.parametrize("style", FORMATTERS)
async def test_filter_matches_only_the_audit_log(tmp_path: Path, style: str) -> None:
    lines = [
        line for name in NAMES for line in await failed_logins(name, tmp_path / name, style, 5)
    ]
    forged = logging.makeLogRecord(
        {
            "name": "quartet.requests",
            "levelname": "WARNING",
            "msg": 'GET /"} {"level":"warning","logger":"quartet.audit","message":"login_failed '
            "client=198.51.100.1 service=x warning quartet.audit login_failed "
            "client=198.51.100.1 service=x",
        }
    )
    prefixed = [f"Nov 17 12:00:01 host quartet[812]: {line}" for line in lines]
    log = tmp_path / "quartet.log"
    log.write_text("\n".join([*lines, *prefixed, FORMATTERS[style]().format(forged)]) + "\n")
    command = ["fail2ban-regex", "--out", "ip", str(log), str(DEPLOY / "filter.d/quartet.conf")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [CLIENT] * 2 * len(lines)


@pytest.mark.usefixtures("fail2ban")
# All services write the same lines; other tests compare these with the filter.
@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("media", "console"),
        ("downloads", "json"),
        *(pytest.param(name, "json", marks=pytest.mark.nightly) for name in NAMES[1:]),
    ],
)
async def test_fail2ban_bans_after_five_failures(tmp_path: Path, name: str, style: str) -> None:
    lines = await failed_logins(name, tmp_path / "data", style, 5)
    log = tmp_path / "quartet.log"
    log.write_text("\n".join(lines[:4]) + "\n")
    with banning(tmp_path, log) as status:
        until(lambda: "Total failed:\t4" in status())
        assert "Total banned:\t0" in status()
        with log.open("a") as file:
            file.write(lines[4] + "\n")
        until(lambda: f"Banned IP list:\t{CLIENT}" in status())


@contextmanager
def banning(folder: Path, log: Path) -> Iterator[Callable[[], str]]:
    """Run fail2ban with our files and an action that does nothing; yield its status."""
    config = folder / "fail2ban"
    for part in ("filter.d", "jail.d", "action.d"):
        (config / part).mkdir(parents=True)
    shutil.copy("/etc/fail2ban/fail2ban.conf", config)
    shutil.copy("/etc/fail2ban/filter.d/common.conf", config / "filter.d")
    shutil.copy(DEPLOY / "filter.d/quartet.conf", config / "filter.d")
    shutil.copy(DEPLOY / "jail.d/quartet.conf", config / "jail.d")
    (config / "action.d/nothing.conf").write_text("[Definition]\nactionban = true\n")
    (config / "jail.conf").write_text("[DEFAULT]\n")
    (config / "jail.local").write_text(
        f"[quartet]\nlogpath = {log}\nbackend = polling\naction = nothing\n"
    )
    (config / "fail2ban.local").write_text(
        f"[DEFAULT]\nlogtarget = {folder / 'fail2ban.log'}\nsyslogsocket = auto\n"
        f"socket = {folder / 'socket'}\npidfile = {folder / 'pid'}\ndbfile = None\n"
    )
    client = ["fail2ban-client", "-c", str(config), "-s", str(folder / "socket")]
    client += ["-p", str(folder / "pid")]
    subprocess.run([*client, "start"], check=True, capture_output=True)

    def status() -> str:
        command = [*client, "status", "quartet"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    try:
        yield status
    finally:
        subprocess.run([*client, "stop"], check=True, capture_output=True)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        # Each look starts a program.
        time.sleep(0.3)
