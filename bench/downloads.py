"""Compare the download manager with aria2c and curl: one large file, many small ones, a torrent.

All clients fetch from one nginx on loopback to the same disk, one after the other. They alternate,
and the best round of each counts, because other load only ever makes a round slower. The peers are
measured as whole processes. Quartet is already running: links are added through its API, and the
end is the time at which its last file was finished. A torrent has one seeder; transmission-cli
fetches it too if it is installed, and the faster peer counts. QUICK=1 uses a smaller file. The
limit of the machine is `dd` to the same disk, and for TLS the decryption of all bytes by one core
before that.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import downloads_torrent
from bench.downloads_server import Server, server
from bench.downloads_service import DownloadsService, running_service
from bench.report import Result, show

MIB = 1 << 20
QUICK = bool(os.environ.get("QUICK"))
SIZE = (512 if QUICK else 2048) * MIB
# Short rounds vary more, so there are more of them.
ROUNDS, SHORT_ROUNDS = 3, 8
SMALL, COUNT, PARALLEL = 100_000, 200, 16


@dataclass(frozen=True)
class Cost:
    seconds: float
    cpu: float

    def best(self, other: "Cost | None") -> "Cost":
        if other is None:
            return self
        return Cost(min(self.seconds, other.seconds), min(self.cpu, other.cpu))


Client = Callable[[Server, list[str], int, int], Cost]


def service_client(service: DownloadsService) -> Client:
    def fetch(web: Server, urls: list[str], connections: int, parallel: int) -> Cost:
        before = service.cpu_seconds()
        seconds = service.fetch(urls, connections, parallel)
        cost = Cost(seconds, service.cpu_seconds() - before)
        check_files([path for path in service.done.rglob("*") if path.is_file()], len(urls))
        service.clear()
        return cost

    return fetch


def aria2c(web: Server, urls: list[str], connections: int, parallel: int) -> Cost:
    options = f"-q --no-conf -x{connections} -s{connections} -j{parallel} --file-allocation=falloc"
    trust = f"--ca-certificate={web.ca_file}"
    return run_peer(web, ["aria2c", *options.split(), trust, "-i", "-"], urls)


def curl(web: Server, urls: list[str], connections: int, parallel: int) -> Cost:
    return run_peer(web, ["curl", "-sSfO", "--cacert", web.ca_file, *urls], urls)


def run_peer(web: Server, command: list[str], urls: list[str]) -> Cost:
    with tempfile.TemporaryDirectory(dir=web.folder) as folder:
        began = time.monotonic()
        child = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=folder)
        assert child.stdin
        child.stdin.write("\n".join(urls).encode())
        child.stdin.close()
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.monotonic() - began
        child.returncode = status
        assert status == 0, command[0]
        check_files(list(Path(folder).iterdir()), len(urls))
        return Cost(seconds, used.ru_utime + used.ru_stime)


def check_files(files: list[Path], count: int) -> None:
    sizes = [path.stat().st_size for path in files]
    assert sizes == ([SIZE] if count == 1 else [SMALL] * count)


def best_costs(
    web: Server,
    urls: list[str],
    connections: int,
    parallel: int,
    clients: list[Client],
    rounds: int = ROUNDS,
) -> list[Cost]:
    best: list[Cost | None] = [None] * len(clients)
    for _ in range(rounds):
        for index, client in enumerate(clients):
            best[index] = client(web, urls, connections, parallel).best(best[index])
    return [cost for cost in best if cost]


def disk_megabytes_per_second(web: Server) -> float:
    """Return how fast `dd` writes the same number of bytes to the same disk."""
    target = web.folder / "zeros"
    copy = ["dd", "if=/dev/zero", f"of={target}", "bs=1M", f"count={SIZE // MIB}", "status=none"]
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.monotonic()
        subprocess.run(copy, check=True)
        best = min(best, time.monotonic() - began)
        target.unlink()
    return SIZE / best / 1e6


def decrypted_megabytes_per_second() -> float:
    """Return how fast one core decrypts the cipher that nginx and the service agree on."""
    speed = ["openssl", "speed", "-mr", "-seconds", "1", "-bytes", "16384", "-decrypt"]
    done = subprocess.run(
        [*speed, "-evp", "aes-128-gcm"], check=True, capture_output=True, text=True
    )
    # The last line has the bytes per second.
    return float(done.stdout.strip().rpartition(":")[2]) / 1e6


def large(
    web: Server, ours: Client, scheme: str, connections: int, bar: float, limit: float
) -> list[Result]:
    address = web.http if scheme == "HTTP" else web.https
    own, aria2, plain_curl = best_costs(
        web, [f"{address}/big"], connections, 1, [ours, aria2c, curl]
    )
    setup = f"{scheme}, {connections} segment{'s'[: connections > 1]}"
    speed = [SIZE / cost.seconds / 1e6 for cost in (own, aria2, plain_curl)]
    per_gb = [cost.cpu / SIZE * 1e12 for cost in (own, aria2, plain_curl)]
    return [
        Result(f"{setup} vs. aria2c", speed[0], bar, "MB/s", speed[1], True, limit),
        Result(f"{setup} vs. curl", speed[0], 0.9, "MB/s", speed[2], more_is_better=True),
        Result(f"{setup}, CPU vs. aria2c", per_gb[0], 0.65, "CPU-ms/GB", per_gb[1]),
    ]


def small(web: Server, ours: Client) -> list[Result]:
    urls = [f"{web.http}/{number}" for number in range(COUNT)]
    own, aria2 = best_costs(web, urls, 1, PARALLEL, [ours, aria2c], SHORT_ROUNDS)
    claim = f"{COUNT} small files, {PARALLEL} at a time vs. aria2c"
    return [Result(claim, own.seconds * 1000, 0.75, "ms", aria2.seconds * 1000)]


def torrent(web: Server, service: DownloadsService) -> list[Result]:
    path = web.folder / "files" / "big"
    own, peer, name = downloads_torrent.compare(service, path, ROUNDS)
    speeds = [path.stat().st_size / seconds / 1e6 for seconds in (own, peer)]
    claim = f"Torrent from one seeder vs. {name}"
    return [Result(claim, speeds[0], 0.9, "MB/s", speeds[1], more_is_better=True)]


def run() -> list[Result]:
    with (
        tempfile.TemporaryDirectory(prefix="downloads-") as folder,
        server(Path(folder), SIZE, SMALL, COUNT) as web,
        running_service(Path(folder) / "data", web.ca_file) as service,
    ):
        ours = service_client(service)
        disk = disk_megabytes_per_second(web)
        tls = 1 / (1 / disk + 1 / decrypted_megabytes_per_second())
        return [
            *large(web, ours, "HTTP", 1, 2.2, disk),
            *large(web, ours, "HTTP", 4, 2.2, disk),
            *large(web, ours, "TLS", 1, 1.6, tls),
            *large(web, ours, "TLS", 4, 1.6, tls),
            *small(web, ours),
            *torrent(web, service),
        ]


if __name__ == "__main__":
    show(run())
