"""Forecasts stay available behind each shipped proxy while PostgreSQL restarts and while one of two
processes stops. Usage: proxies QUARTET PROXY-FILE, as a user without root rights.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pipeline.checks.installed import free_port, serving, status, until

FORECAST = "/api/point?lat=54.43&lon=11.19"
SMALL = {"WIND_DEMO_SIZE": "tiny", "WIND_MODELS": "icon-d2", "WIND_DRAIN_SECONDS": "4"}
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


class Visitor(threading.Thread):
    """Requests a forecast again and again and counts the answers."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self.codes: list[int] = []
        self._url = url
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(0.05):
            self.codes.append(status(self._url))

    def end(self) -> None:
        self._ended.set()
        self.join()


def main() -> None:
    shipped = Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = Path(folder)
        database = Database(place / "postgres")
        stack.callback(database.stop)
        database.start()
        first = stack.enter_context(process(place / "one", database.url))
        second = ExitStack()
        stack.enter_context(second)
        addresses = [first, second.enter_context(process(place / "two", database.url))]
        until(lambda: all(status(each + FORECAST) == 200 for each in addresses))
        proxy = stack.enter_context(running_proxy(shipped, place, addresses))
        visitor = Visitor(proxy + FORECAST)
        visitor.start()
        database.stop()
        # Long enough for several health checks of the proxy.
        time.sleep(8)
        database.start()
        until(lambda: all(status(f"{each}/api/health") == 200 for each in addresses))
        second.close()
        visitor.end()
        failed = [code for code in visitor.codes if code != 200]
        if failed or len(visitor.codes) < 20:
            number = f"{len(failed)} of {len(visitor.codes)}"
            sys.exit(f"{shipped.name}: {number} forecasts failed: {failed[:9]}")
    print(f"{shipped.name}: {len(visitor.codes)} forecasts, none failed")


class Database:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        self._call("initdb", "--auth=trust", "--username=postgres", "--no-sync")

    def start(self) -> None:
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -k {self._folder}"
        log = f"{self._folder}/log"
        self._call("pg_ctl", "start", "--wait", "--log", log, "--options", options)

    def stop(self) -> None:
        if (self._folder / "postmaster.pid").exists():
            self._call("pg_ctl", "stop", "--wait", "--mode", "fast")

    def _call(self, program: str, *arguments: str) -> None:
        command = [str(BINARIES[-1] / program), *arguments, "--pgdata", str(self._folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def process(place: Path, database_url: str) -> Iterator[str]:
    place.mkdir()
    variables = {**SMALL, "DATABASE_URL": database_url}
    arguments = ("wind", "--demo", "--port", str(free_port()), "--data", str(place / "data"))
    with serving(place, *arguments, variables=variables) as addresses:
        yield addresses["wind"]


@contextmanager
def running_proxy(shipped: Path, place: Path, addresses: list[str]) -> Iterator[str]:
    """Run the shipped configuration with the names of processes and the port replaced."""
    hosts = [address.removeprefix("http://") for address in addresses]
    port = free_port()
    prepare = nginx_command if shipped.name.endswith("nginx.conf") else caddy_command
    command = prepare(shipped.read_text(), place, hosts, port)
    environment = {**os.environ, "HOME": str(place), "XDG_DATA_HOME": str(place)}
    proxy = subprocess.Popen(command, env=environment)
    try:
        until(lambda: status(f"http://127.0.0.1:{port}/api/ready") == 200)
        yield f"http://127.0.0.1:{port}"
    finally:
        proxy.terminate()
        proxy.wait(30)


def nginx_command(text: str, place: Path, hosts: list[str], port: int) -> list[str]:
    servers = [f"server {host} max_fails=2 fail_timeout=5s;" for host in hosts]
    text = replaced(text, "server web:8450 max_fails=2 fail_timeout=5s;", " ".join(servers))
    text = replaced(text, "listen 80;", f"listen 127.0.0.1:{port};")
    text = replaced(text, "/var/cache/nginx/wind", str(place / "cache"))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {place}/{kind};" for kind in kinds)
    config = place / "nginx.conf"
    config.write_text(
        f"daemon off; pid {place}/pid; error_log stderr error; events {{}}"
        f" http {{ access_log off; {temporary}\n{text} }}"
    )
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin") or "nginx"
    return [program, "-c", str(config), "-p", str(place), "-e", "stderr"]


def caddy_command(text: str, place: Path, hosts: list[str], port: int) -> list[str]:
    shipped_hosts = "quartet-scale-web-1:8450 quartet-scale-web-2:8450"
    text = replaced(text, shipped_hosts, " ".join(hosts))
    text = replaced(text, "wind.example.org {", f"http://127.0.0.1:{port} {{")
    config = place / "Caddyfile"
    config.write_text("{\n\tadmin off\n}\n" + text)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(config)]


def replaced(text: str, old: str, new: str) -> str:
    if text.count(old) != 1:
        sys.exit(f"the shipped configuration does not contain {old!r} once")
    return text.replace(old, new)


if __name__ == "__main__":
    main()
