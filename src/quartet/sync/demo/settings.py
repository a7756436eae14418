import os
import shutil

from msgspec.structs import replace

from quartet.kernel.listener import free_port
from quartet.sync.engine.program import PROGRAM_VARIABLE
from quartet.sync.settings import SyncSettings

LOOPBACK = "127.0.0.1"


def has_engine() -> bool:
    return bool(os.environ.get(PROGRAM_VARIABLE) or shutil.which("syncthing"))


def demo_settings(settings: SyncSettings) -> SyncSettings:
    """Keep the demo on this machine and avoid downloads."""
    return replace(
        settings,
        # The devices need the port before the server listens.
        port=settings.port or free_port(),
        hub=settings.hub and has_engine(),
        hub_listen=f"{LOOPBACK}:{free_port()}",
        hub_address=None,
        lan_pairing=False,
    )
