"""Crawls nested folders, for hosters whose folders have ids."""

from collections.abc import Awaitable, Callable, Iterable

from quartet.downloads.hosters.plugin_types import MOST_FILES
from quartet.downloads.hosters.sdk import FileLink, Folder

MOST_FOLDERS = 200


async def walk(root: str, list_folder: Callable[[str], Awaitable[Iterable[str]]]) -> None:
    """Visit a folder and all folders below it once; some hosters have cycles."""
    waiting, seen = [root], {root}
    for _ in range(MOST_FOLDERS):
        if not waiting:
            return
        inner = [id for id in dict.fromkeys(await list_folder(waiting.pop(0))) if id not in seen]
        seen.update(inner)
        waiting += inner


def folder_of(files: Iterable[FileLink], name: str | None) -> Folder:
    """Return the folder without duplicate files, limited to the maximum of a package."""
    once = {each.url: each for each in files}
    return Folder(list(once.values())[:MOST_FILES], name or None)
