"""The steps in one system: as a user without root rights, and as root."""

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import self_contained_agent

from pipeline.documented import install_from_index, install_service
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
        yield f"README again as {user}", partial(follow_readme_again, root, user)
        for kind in ("wheel", "sdist"):
            yield f"{kind} as {user}", partial(install_package, root, user, kind, packages)
        yield f"from an index as {user}", partial(install_from_index, root, user, packages)
        yield f"everyday errors as {user}", partial(everyday_errors, root, user)
        yield f"pair devices as {user}", partial(pair, root, user)
        yield f"backup and restore as {user}", partial(check, root, user, "backups")
    yield "systemd as root", partial(install_service, root)
    yield f"pair agent programs as {VISITOR}", partial(pair_programs, root, VISITOR)
    for name in ("nginx.conf", "caddyfile"):
        yield f"PostgreSQL restart, {name}", partial(restart_behind_proxy, root, f"wind.{name}")


def home(user: str) -> str:
    return "/root" if user == "root" else f"/home/{user}"


def follow_readme(root: Root, user: str) -> str:
    """Run the commands below "Try it" but the tests, which CI runs, in a fresh checkout."""
    place = f"{home(user)}/quartet"
    for kept in ("quartet", ".cache", ".npm"):
        # Packages of an earlier run would make the setup faster than on a new machine.
        shutil.rmtree(root.path / home(user)[1:] / kept, ignore_errors=True)
    subprocess.run(["git", "clone", "-q", PROJECT, root.path / place[1:]], check=True)
    root.run("chown", "-R", f"{user}:", place)
    section = (PROJECT / "README.md").read_text().split("## Try it")[1].split("\n## ")[0]
    commands = re.findall(r"```sh\n(.*?)\n```", section, re.DOTALL)
    if commands != ["make run", "make test"]:
        raise Failed(f"the README lists other commands: {commands}")
    return run_demo(root, user, place)


def follow_readme_again(root: Root, user: str) -> str:
    """Stop the setup with Ctrl-C, then run it with a read-only home while a port is taken."""
    place = f"{home(user)}/quartet"
    if not (root.path / place[1:] / ".venv").exists():
        raise Skipped("the setup of the README did not succeed")
    shutil.rmtree(root.path / place[1:] / ".venv")
    interrupt_setup(root, user, place)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            # Another program that has the port serves the same purpose.
            other.bind(("127.0.0.1", 8080))
        other.listen()
        # A user without rights cannot write there; for root there is no such folder.
        variables = "HOME=/proc" if user == VISITOR else ""
        return run_demo(root, user, place, variables, "downloads: port 8080 is taken")


def interrupt_setup(root: Root, user: str, place: str) -> None:
    script = f"cd {place} && exec make run > pipeline.log 2>&1"
    log = root.path / place[1:] / "pipeline.log"
    log.unlink(missing_ok=True)
    process = subprocess.Popen(root.command("sh", "-c", script, user=user), start_new_session=True)
    while process.poll() is None and "installing requirements.lock" not in read(log):
        time.sleep(0.1)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(120)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise Failed("the setup did not end after Ctrl-C") from None
    if "Traceback" in read(log) or "setup stopped" not in read(log):
        raise Failed(f"Ctrl-C during the setup: {read(log)[-300:]}")


def read(log: Path) -> str:
    return log.read_text() if log.exists() else ""


def run_demo(root: Root, user: str, place: str, variables: str = "", expected: str = "") -> str:
    """Run `make run` until all four services answer, then press Ctrl-C."""
    log = root.path / place[1:] / "pipeline.log"
    log.unlink(missing_ok=True)
    started, used = time.monotonic(), cpu_seconds()
    script = f"cd {place} && exec env {variables} make run > pipeline.log 2>&1"
    command = root.command("sh", "-c", script, user=user)
    process = subprocess.Popen(command, start_new_session=True)
    try:
        while len(STARTED.findall(read(log))) < 4:
            if process.poll() is not None or time.monotonic() - started > 1200:
                raise Failed(f"make run: {read(log)[-300:]}")
            time.sleep(0.5)
    finally:
        seconds = time.monotonic() - started
        if process.poll() is None:
            # To the whole group, as a terminal does.
            os.killpg(process.pid, signal.SIGINT)
        process.wait(120)
    if "Traceback" in read(log) or expected not in read(log):
        raise Failed(f"make run printed something else: {read(log)[-300:]}")
    used, load = cpu_seconds() - used, os.getloadavg()[0]
    return f"all four started {seconds:.0f} s after `make run` ({used:.0f} CPU s, load {load:.1f})"


def cpu_seconds() -> float:
    """Return the CPU time of all ended children, which depends less on the load."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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


def everyday_errors(root: Root, user: str) -> str:
    """Start the wheel with wrong settings, and once installed without the extra of a service."""
    folder = f"{home(user)}/wheel"
    uv = f"{folder}/uv"
    if not (root.path / uv[1:]).exists():
        raise Skipped("the wheel was not installed")
    [package] = (root.path / folder[1:]).glob("*.whl")
    root.run(uv, "venv", "--clear", "--quiet", f"{folder}/core", user=user)
    python = ("--python", f"{folder}/core/bin/python")
    wheel = f"{folder}/{package.name}"
    root.run(uv, "pip", "install", "--quiet", *python, wheel, user=user)
    return check(root, user, "errors", "wheel", f"{folder}/core/bin/quartet")


def pair_programs(root: Root, user: str) -> str:
    """Pair devices that run the agent program, which contains Python."""
    program = self_contained_agent.built()
    if not program.exists():
        raise Skipped("the agent program was not built")
    root.copy_in(program, f"/opt/pipeline/{program.name}")
    where = f"/opt/pipeline/{program.name}"
    done = subprocess.run(root.command(where, "--version"), capture_output=True, text=True)
    if "GLIBC_" in done.stderr:
        raise Skipped(f"the Python of this machine needs a newer C library: {done.stderr[-120:]}")
    root.install(*SYNCTHING)
    return check(root, user, "pairing", "wheel", where)


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
