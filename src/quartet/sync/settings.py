from pathlib import Path
from typing import Annotated

from quartet.kernel.settings import Settings, described


class SyncSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8090
    data: Annotated[Path, described("Folder of the database, keys and hub folders.")] = Path(
        "data/sync"
    )
