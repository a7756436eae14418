"""What can keep a service from working on this machine, for `quartet doctor`."""

import ctypes
import os
import shutil
import socket
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from quartet.healthcheck import problem
from quartet.kernel.addresses import is_loopback_host
from quartet.kernel.edge import DOCTOR_HEADER
from quartet.kernel.postgres import plain_address
from quartet.kernel.redis import redis_address
from quartet.kernel.settings import Settings

if TYPE_CHECKING:
    from quartet.kernel.service import Service

FEW_BYTES = 1_000_000_000
TOO_FEW_BYTES = 100_000_000
# The oldest versions whose features are used; older ones are not tested.
LEAST_POSTGRES = 14
LEAST_REDIS = (6, 2)
SECONDS = 5
# Sign-in codes and signatures of other servers fail if clocks differ by more.
CLOCK_SECONDS = 30
# `adjtimex` returns this if nothing adjusts the clock.
TIME_ERROR = 5
TIMEX_BYTES = 256


@dataclass(frozen=True)
class DiagnosisLine:
    """One line of the table. A warning does not keep the service from starting."""

    subject: str
    state: Literal["ok", "warning", "error"]
    text: str


def diagnose(service: "Service[Any]", settings: Settings) -> Iterator[DiagnosisLine]:
    """Check everything that services have in common."""
    runs = runs_already(settings)
    if runs:
        yield DiagnosisLine("port", "ok", f"the service answers on port {settings.port}")
    else:
        yield check_port("port", settings.host, settings.port)
    yield _folder(settings.data)
    yield _disk(settings.data)
    yield _database(service, settings)
    if settings.redis_url:
        yield _redis(settings.redis_url)
    if settings.public_url:
        yield from _public_address(service.prefix, settings.public_url, runs=runs)
    elif not is_loopback_host(settings.host):
        text = f"not set; other machines reach {settings.host} without HTTPS"
        yield DiagnosisLine("public URL", "warning", text)


def runs_already(settings: Settings) -> bool:
    return settings.port != 0 and problem(settings) is None


def check_port(
    subject: str, host: str, port: int, *, taken: Literal["warning", "error"] = "error"
) -> DiagnosisLine:
    """Try to listen; `taken` is the state if that fails."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            # Otherwise closed connections block the port for a minute.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            # Binding alone succeeds while another program that listens allows it too.
            probe.listen()
    except OSError as error:
        return DiagnosisLine(subject, taken, f"cannot use port {port}: {error.strerror}")
    return DiagnosisLine(subject, "ok", f"port {port or 'of any number'} is free")


def check_folder(subject: str, folder: Path) -> DiagnosisLine:
    existing = _existing(folder)
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return DiagnosisLine(subject, "error", f"no permission to write to {existing}")
    return DiagnosisLine(subject, "ok", str(folder.absolute()))


def _folder(folder: Path) -> DiagnosisLine:
    found = check_folder("data folder", folder)
    if found.state == "error":
        return found
    for path in (folder, *folder.glob("*.sqlite3"), *folder.glob("keys/*")):
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            return DiagnosisLine("data folder", "error", f"no permission to use {path}")
    return found


def _disk(folder: Path) -> DiagnosisLine:
    free = shutil.disk_usage(_existing(folder)).free
    text = f"{free / 1e9:.1f} GB free"
    if free < TOO_FEW_BYTES:
        return DiagnosisLine("disk", "error", text)
    return DiagnosisLine("disk", "warning" if free < FEW_BYTES else "ok", text)


def _existing(folder: Path) -> Path:
    """Return the folder, or its nearest parent that exists."""
    folder = folder.absolute()
    return next(each for each in (folder, *folder.parents) if each.exists())


def _database(service: "Service[Any]", settings: Settings) -> DiagnosisLine:
    head = service.history.head
    try:
        if settings.database_url:
            server, version = _postgres_versions(settings.database_url, service.name)
            if server < LEAST_POSTGRES:
                text = f"PostgreSQL {server} is too old; {LEAST_POSTGRES} is the oldest supported"
                return DiagnosisLine("database", "error", text)
            name = f"PostgreSQL {server}"
        else:
            name = "SQLite"
            version = _sqlite_version(settings.data / f"{service.name}.sqlite3")
    except Exception as error:  # noqa: BLE001 - drivers raise their own types
        return DiagnosisLine("database", "error", f"cannot use the database: {_first_line(error)}")
    if version > head:
        text = f"its schema {version} belongs to a newer version of Quartet; this one has {head}"
        return DiagnosisLine("database", "error", text)
    state = f"schema {version}" if version else "empty"
    return DiagnosisLine("database", "ok", f"{name}, {state}")


def _postgres_versions(url: str, schema: str) -> tuple[int, int]:
    """Return the versions of the server and of the service's schema."""
    import psycopg

    with psycopg.connect(plain_address(url)) as conn:
        found = conn.execute("SELECT to_regclass(%s)", [f"{schema}.alembic_version"]).fetchone()
        version = 0
        if found and found[0]:
            row = conn.execute(f'SELECT version_num FROM "{schema}".alembic_version').fetchone()  # noqa: S608
            version = int(row[0]) if row else 0
        return conn.info.server_version // 10000, version


def _sqlite_version(file: Path) -> int:
    if not file.exists() or not file.stat().st_size:
        return 0
    conn = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=SECONDS)
    try:
        row = conn.execute("SELECT version_num FROM alembic_version").fetchone()
    finally:
        conn.close()
    return int(row[0])


def _redis(url: str) -> DiagnosisLine:
    from redis import Redis, RedisError

    try:
        with Redis.from_url(redis_address(url), socket_timeout=SECONDS) as redis:
            info: dict[str, Any] = redis.info("server")
    except RedisError as error:
        return DiagnosisLine("Redis", "error", f"cannot use Redis: {_first_line(error)}")
    # Valkey also states the version of Redis that it is compatible with.
    version = str(info["redis_version"])
    if tuple(int(each) for each in version.split(".")[:2]) < LEAST_REDIS:
        least = ".".join(map(str, LEAST_REDIS))
        return DiagnosisLine(
            "Redis", "error", f"{version} is too old; {least} is the oldest supported"
        )
    return DiagnosisLine("Redis", "ok", f"version {version}")


def _public_address(prefix: str, public: str, *, runs: bool) -> Iterator[DiagnosisLine]:
    """Ask the service through its proxy."""
    if not runs:
        yield DiagnosisLine(
            "public URL", "warning", "not checked, because the service does not run"
        )
        return
    address = f"{public.rstrip('/')}/api/health"
    request = urllib.request.Request(address, headers={DOCTOR_HEADER: "?"})  # noqa: S310 - set by the operator
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310
            healthy = answer.read(1000) == b'{"status":"ok"}'
            seen = answer.headers.get(DOCTOR_HEADER) or ""
    except urllib.error.HTTPError as error:
        yield DiagnosisLine("public URL", "error", f"{address} answers with status {error.code}")
    except (OSError, ValueError) as error:
        yield DiagnosisLine("public URL", "error", f"cannot reach {address}: {_first_line(error)}")
    else:
        if healthy:
            yield DiagnosisLine("public URL", "ok", "reached")
            yield proxy_headers(prefix, public, *seen.split())
        else:
            yield DiagnosisLine("public URL", "error", f"{address} is answered by another program")


def proxy_headers(prefix: str, public: str, state: str = "", scheme: str = "") -> DiagnosisLine:
    subject, wanted = "proxy headers", urlsplit(public).scheme
    if state == "untrusted":
        text = f"ignored; add the address of the proxy to {prefix}TRUSTED_PROXIES"
        return DiagnosisLine(subject, "warning", text)
    if state == "missing" and wanted == "https":
        text = "the proxy does not set X-Forwarded-For and X-Forwarded-Proto"
        return DiagnosisLine(subject, "warning", text)
    if state == "trusted" and scheme != wanted:
        text = f"X-Forwarded-Proto is {scheme}, but the public URL is {wanted}"
        return DiagnosisLine(subject, "warning", text)
    return DiagnosisLine(
        subject, "ok", "trusted" if state == "trusted" else "not needed without proxy"
    )


def check_clock(built: float, now: float | None = None) -> DiagnosisLine:
    """Check that the clock is later than `built` and that something keeps it right."""
    if (time.time() if now is None else now) < built:
        return DiagnosisLine(
            "clock", "error", "the clock is earlier than the installation of Quartet"
        )
    try:
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(TIMEX_BYTES))
    except (AttributeError, OSError, TypeError):
        return DiagnosisLine("clock", "ok", "whether it is synchronised is unknown on this system")
    if state == TIME_ERROR:
        return DiagnosisLine("clock", "warning", "not synchronised with a time server")
    return DiagnosisLine("clock", "ok", "synchronised")


def check_program(name: str, purpose: str) -> DiagnosisLine:
    found = shutil.which(name)
    if found is None:
        return DiagnosisLine(name, "warning", f"not installed; {purpose}")
    return DiagnosisLine(name, "ok", found)


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0]
