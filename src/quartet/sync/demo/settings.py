import os
import shutil

from msgspec.structs import replace

from quartet.kernel.listener import free_port
from quartet.sync.engine.program import PROGRAM_VARIABLE
from quartet.sync.settings import SyncSettings

HERE = "127.0.0.1"


def has_engine() -> bool:
    return bool(os.environ.get(PROGRAM_VARIABLE) or shutil.which("syncthing"))


def demo_settings(settings: SyncSettings) -> SyncSettings:
    """Nobody outside of this machine sees the demo, and nothing is downloaded for it."""
    return replace(
        settings,
        # The devices must know it before anybody listens.
        port=settings.port or free_port(),
        hub=settings.hub and has_engine(),
        hub_listen=f"{HERE}:{free_port()}",
        hub_address=None,
        lan_pairing=False,
    )
