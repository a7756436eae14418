from pathlib import Path
from typing import Annotated

from quartet.kernel.settings import Settings, described


class DownloadsSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8080
    data: Annotated[Path, described("Folder of the database, keys and backups.")] = Path(
        "data/downloads"
    )
