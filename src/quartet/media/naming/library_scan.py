from collections import deque
from collections.abc import Iterator

from quartet.kernel.errors import AppError
from quartet.media.roots.file_kinds import file_kind
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.path_encoding import decode_path

_DEEPEST = 5
_MOST_FOLDERS = 300


def videos_in(access: FolderAccess, text: str) -> Iterator[str]:
    """Return some videos of a library, relative to it. Blocks."""
    location = access.resolve(decode_path(text))
    waiting = deque([location.parts])
    for _ in range(_MOST_FOLDERS):
        if not waiting:
            return
        folder = waiting.popleft()
        try:
            entries = location.root.list(folder)
        except AppError:
            # The library must be readable; folders in it may not be.
            if folder == location.parts:
                raise
            continue
        for entry in entries:
            inside = (*folder, entry.name)
            if entry.is_folder and len(inside) - len(location.parts) < _DEEPEST:
                waiting.append(inside)
            elif entry.is_file and file_kind(entry.name) == "video":
                yield "/".join(inside[len(location.parts) :])
