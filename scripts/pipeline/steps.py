"""The steps in one system: as a user without root rights, and as root."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from pipeline.report import Failed, Skipped
from pipeline.roots import VISITOR, Root

PROJECT = Path(__file__).resolve().parent.parent.parent
Step = tuple[str, Callable[[], str]]
# What sync and the demo start, and what the checks of proxies need.
SYNCTHING = ("syncthing",)
PROXY_PROGRAMS = ("caddy", "nginx-light", "postgresql")
STARTED = re.compile(r"^  (downloads|sync|media|wind) +http", re.MULTILINE)


def steps_of(root: Root, packages: Path) -> Iterator[Step]:
    for user in (VISITOR, "root"):
        yield f"README as {user}", partial(follow_readme, root, user)
        for kind in ("wheel", "sdist"):
            yield f"{kind} as {user}", partial(install_package, root, user, kind, packages)
        yield f"pair devices as {user}", partial(pair, root, user)
        yield f"backup and restore as {user}", partial(check, root, user, "backups")
    for name in ("nginx.conf", "caddyfile"):
        yield f"PostgreSQL restart, {name}", partial(restart_behind_proxy, root, f"wind.{name}")


def home(user: str) -> str:
    return "/root" if user == "root" else f"/home/{user}"


def follow_readme(root: Root, user: str) -> str:
    """Run the commands below "Try it" but the tests, which CI runs, in a fresh checkout."""
    place = f"{home(user)}/quartet"
    shutil.rmtree(root.path / place[1:], ignore_errors=True)
    subprocess.run(["git", "clone", "-q", PROJECT, root.path / place[1:]], check=True)
    root.run("chown", "-R", f"{user}:", place)
    section = (PROJECT / "README.md").read_text().split("## Try it")[1].split("\n## ")[0]
    commands = re.findall(r"```sh\n(.*?)\n```", section, re.DOTALL)
    if commands != ["make run", "make test"]:
        raise Failed(f"the README lists other commands: {commands}")
    return run_demo(root, user, place)


def run_demo(root: Root, user: str, place: str) -> str:
    """Run `make run` until all four services answer, then press Ctrl-C."""
    log = root.path / place[1:] / "pipeline.log"
    started = time.monotonic()
    script = f"cd {place} && exec make run > pipeline.log 2>&1"
    command = root.command("sh", "-c", script, user=user)
    process = subprocess.Popen(command, start_new_session=True)
    try:
        while len(STARTED.findall(log.read_text() if log.exists() else "")) < 4:
            if process.poll() is not None or time.monotonic() - started > 1200:
                raise Failed(f"make run: {log.read_text()[-300:]}")
            time.sleep(0.5)
    finally:
        seconds = time.monotonic() - started
        if process.poll() is None:
            # To the whole group, as a terminal does.
            os.killpg(process.pid, signal.SIGINT)
        process.wait(120)
    if "Traceback" in log.read_text():
        raise Failed(f"make run printed a traceback: {log.read_text()[-300:]}")
    return f"all four started {seconds:.0f} s after `make run`"


def install_package(root: Root, user: str, kind: str, packages: Path) -> str:
    """Install the wheel or the source distribution with uv, and start each service from it."""
    pattern = "*.whl" if kind == "wheel" else "*.tar.gz"
    [package] = packages.glob(f"quartet_suite-{pattern}")
    uv = next((root.path / home(user)[1:]).glob("quartet/build/uv/*/uv"), None)
    if uv is None:
        raise Skipped("the setup of the README did not succeed, which provides uv")
    folder = f"{home(user)}/{kind}"
    shutil.rmtree(root.path / folder[1:], ignore_errors=True)
    root.run("mkdir", folder, user=user)
    root.copy_in(package, f"{folder}/{package.name}", owner=user)
    root.copy_in(uv, f"{folder}/uv", owner=user)
    root.run(f"{folder}/uv", "venv", "--clear", "--quiet", f"{folder}/venv", user=user)
    python = ("--python", f"{folder}/venv/bin/python")
    wanted = f"{folder}/{package.name}[all]"
    root.run(f"{folder}/uv", "pip", "install", "--quiet", *python, wanted, user=user)
    return check(root, user, "services", kind)


def pair(root: Root, user: str) -> str:
    root.install(*SYNCTHING)
    return check(root, user, "pairing")


def check(root: Root, user: str, name: str, kind: str = "wheel", *arguments: str) -> str:
    program = f"{home(user)}/{kind}/venv/bin/quartet"
    if not (root.path / program[1:]).exists():
        raise Skipped(f"the {kind} was not installed")
    root.copy_in(PROJECT / "scripts/pipeline", "/opt/pipeline/pipeline")
    words = ("python3", "-m", f"pipeline.checks.{name}", program, *arguments)
    return root.run(*words, user=user, seconds=900).strip().splitlines()[-1]


def restart_behind_proxy(root: Root, name: str) -> str:
    root.install(*PROXY_PROGRAMS)
    root.copy_in(PROJECT / "deploy/proxies" / name, f"/opt/pipeline/{name}")
    return check(root, VISITOR, "proxies", "wheel", f"/opt/pipeline/{name}")
