"""Moves old copies of folders away that return to a hub."""

import asyncio
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from quartet.sync.config.types.desired import HubState
from quartet.sync.engine import Engine


async def move_stale_copies(engine: Engine, wanted: HubState, data: Path) -> None:
    """Move existing copies of new folders away.

    Otherwise files that were deleted while the hub did not have the folder would reappear. The last
    copy
    is kept in `left`, because it may contain changes that no other engine received.
    """
    there = {each["id"] for each in await engine.rest.get(list[Any], "config/folders")}
    new = [data / "folders" / each.id for each in wanted.folders if each.id not in there]
    await asyncio.to_thread(_move, new, data / "left")


def _move(folders: Iterable[Path], left: Path) -> None:
    for folder in folders:
        if folder.is_dir():
            left.mkdir(mode=0o700, exist_ok=True)
            shutil.rmtree(left / folder.name, ignore_errors=True)
            folder.rename(left / folder.name)
