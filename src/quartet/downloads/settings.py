from pathlib import Path
from typing import Annotated

from quartet.kernel.settings import Settings, described


class DownloadsSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8080
    data: Annotated[Path, described("Folder of the database, keys and backups.")] = Path(
        "data/downloads"
    )
    tmp_dir: Annotated[
        Path | None, described("Folder of unfinished files; `tmp` in the data folder when empty.")
    ] = None
    done_dir: Annotated[
        Path | None, described("Folder of finished files; `done` in the data folder when empty.")
    ] = None

    @property
    def tmp_folder(self) -> Path:
        return self.tmp_dir or self.data / "tmp"

    @property
    def done_folder(self) -> Path:
        return self.done_dir or self.data / "done"
