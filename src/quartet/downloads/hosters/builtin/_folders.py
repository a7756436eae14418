"""Folders in folders, for hosters whose folders have an id each."""

from collections.abc import Awaitable, Callable, Iterable

from quartet.downloads.hosters.sdk import FileLink, Folder
from quartet.downloads.hosters.shapes import MOST_FILES

MOST_FOLDERS = 200


async def walk(root: str, look: Callable[[str], Awaitable[Iterable[str]]]) -> None:
    """Looks into a folder and into those it names, each once; some name each other."""
    waiting, seen = [root], {root}
    for _ in range(MOST_FOLDERS):
        if not waiting:
            return
        inner = [id for id in dict.fromkeys(await look(waiting.pop(0))) if id not in seen]
        seen.update(inner)
        waiting += inner


def folder_of(files: Iterable[FileLink], name: str | None) -> Folder:
    """Each file once, and no more than a package takes."""
    once = {each.url: each for each in files}
    return Folder(list(once.values())[:MOST_FILES], name or None)
