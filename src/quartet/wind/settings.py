from pathlib import Path
from typing import Annotated

from quartet.kernel.settings import Settings, described


class WindSettings(Settings, frozen=True, kw_only=True):
    port: Annotated[int, described("Port to listen on.")] = 8450
    data: Annotated[Path, described("Folder of the database and the weather data.")] = Path(
        "data/wind"
    )
