"""A service with one route: session check, msgspec response and the whole kernel."""

import sys
from pathlib import Path

import msgspec
from litestar import get
from sqlalchemy import MetaData

from quartet.kernel.audit.tables import audit_table
from quartet.kernel.auth import Sessions, sessions_table
from quartet.kernel.db import History
from quartet.kernel.server import ServedApp, run
from quartet.kernel.service import BuiltService, Connection, Identity, Kernel, Service
from quartet.kernel.settings import Settings
from quartet.kernel.startup import start

COOKIE = "quartet_bench"
metadata = MetaData()
sessions_of_bench = sessions_table(metadata)
audit_table(metadata)


class Download(msgspec.Struct, rename="camel"):
    id: int
    url: str
    name: str
    size: int
    bytes_done: int


class Package(msgspec.Struct, rename="camel"):
    id: int
    name: str
    target_dir: str
    downloads: list[Download]


@get("/api/packages/{number:int}")
async def package(number: int) -> Package:
    downloads = [
        Download(n, f"https://example.org/{n}", f"file {n}.bin", 1_000_000, n * 1000)
        for n in range(10)
    ]
    return Package(number, "a package", "a/folder", downloads)


def build(kernel: Kernel[Settings]) -> BuiltService:
    sessions = Sessions(kernel.db, sessions_of_bench, name=COOKIE, seconds=3600)
    # The load generator reads the session token from the first line of output.
    print(kernel.db.write_sync(sessions.begin, "ada"), flush=True)

    async def identify(connection: Connection) -> Identity | None:
        session = await sessions.of(connection)
        return Identity(session.subject, "session", session.token_hash) if session else None

    return BuiltService(routes=[package], authenticate=identify)


if __name__ == "__main__":
    data, port = Path(sys.argv[1]), int(sys.argv[2])
    # The first migration must create the sessions table; any service's migrations do that.
    migrations = Path(__file__).parent.parent / "src/quartet/media/migrations"
    history = History("bench", metadata, migrations)
    service = Service("bench", "BENCH_", Settings, history, build, welcome=lambda _kernel: "")
    started = start(service, Settings(data=data, port=port))
    run([ServedApp("bench", started.app, port=port)])
