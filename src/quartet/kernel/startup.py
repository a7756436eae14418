"""Creates the kernel and the application of a service from its settings."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from quartet.kernel.app import build_app, litestar_app
from quartet.kernel.db import (
    Database,
    History,
    encrypt_stored_secrets,
    migrate,
    open_database,
)
from quartet.kernel.db.shared_keys import NAME as KEYS
from quartet.kernel.db.shared_keys import share_key
from quartet.kernel.edge import Edge
from quartet.kernel.events import EventHub, backend_from_url
from quartet.kernel.metrics import Metrics
from quartet.kernel.openapi import document
from quartet.kernel.server import Stop
from quartet.kernel.service import BuiltService, Kernel, Service
from quartet.kernel.settings import Settings
from quartet.kernel.struct_decoders import prepare_decoders
from quartet.kernel.supervisor import Supervisor
from quartet.kernel.vault import KEY_FILE, Vault

S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class StartedService(Generic[S]):
    kernel: Kernel[S]
    built: BuiltService
    app: Edge
    # The first step for a new user.
    welcome: str


def start(
    service: Service[S], settings: S, *, demo: bool = False, stop: Stop | None = None
) -> StartedService[S]:
    """Open and migrate the database and build the application; nothing runs yet."""
    kernel = open_kernel(service, settings, demo=demo, stop=stop)
    built = service.build(kernel)
    app = build_app(kernel, built)
    prepare_decoders()
    return StartedService(kernel, built, app, service.welcome(kernel))


def open_kernel(
    service: Service[S], settings: S, *, demo: bool = False, stop: Stop | None = None
) -> Kernel[S]:
    # Several processes exchange events through Redis if available, otherwise through PostgreSQL.
    address = settings.redis_url or settings.database_url
    hub = EventHub(backend_from_url(address, f"quartet-{service.name}"))
    db = open_database(settings.data, service.name, settings.database_url, hub.publish_threadsafe)
    with db.outages.reported():
        version = migrate(db, service.history)
        db.use_vault(_vault(db, service.history, settings.data / "keys"))
        encrypt_stored_secrets(db, service.history, version)
    return Kernel(
        service=service.name,
        settings=settings,
        db=db,
        events=hub,
        supervisor=Supervisor(stop.request if stop else None),
        schema_version=version,
        definition=service,
        demo=demo,
        own_servers=service.demo_servers if demo else (),
        stopping=stop.asked.is_set if stop else lambda: False,
    )


def _vault(db: Database, history: History, folder: Path) -> Vault:
    """Return the vault; services that run as several processes share its key."""
    table = history.metadata.tables.get(KEYS)
    if db.kind == "postgresql" and table is not None:
        Vault(folder).prepare()
        share_key(db, table, folder, KEY_FILE)
    return Vault(folder)


def openapi_of(service: Service[S]) -> str:
    """Return the OpenAPI document without starting a server."""
    with tempfile.TemporaryDirectory() as folder:
        kernel = open_kernel(service, service.settings(data=Path(folder)))
        text = document(litestar_app(kernel, service.build(kernel), Metrics()))
        kernel.db.close()
    return text
