"""The sync control server, put together."""

import secrets
from pathlib import Path

from quartet.kernel import health, live
from quartet.kernel.db import History
from quartet.kernel.service import Kernel, Service, Wing
from quartet.sync.login import routes as login_routes
from quartet.sync.login.service import Login
from quartet.sync.metadata import metadata
from quartet.sync.settings import SyncSettings


def build(kernel: Kernel[SyncSettings]) -> Wing:
    login = Login(kernel.db)
    return Wing(
        routes=[health.health, live.socket, *login_routes.ROUTES],
        authenticate=login.identify,
        dependencies={"login": login},
    )


def welcome(kernel: Kernel[SyncSettings]) -> str:
    if not kernel.demo:
        return "log in; quartet sync set-password sets the password"
    # Made at the first start and kept beside the database, to be shown again.
    file = kernel.settings.data / "demo-password"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(9))
        Login(kernel.db).set_password(file.read_text())
    return f"log in with the password {file.read_text()}"


SERVICE = Service(
    name="sync",
    prefix="SYNC_",
    settings=SyncSettings,
    history=History("sync", metadata, Path(__file__).parent / "migrations"),
    build=build,
    welcome=welcome,
)
