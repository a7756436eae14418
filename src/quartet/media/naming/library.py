from collections import deque
from collections.abc import Iterator

from quartet.kernel.errors import AppError
from quartet.media.roots.kinds import file_kind
from quartet.media.roots.places import Places
from quartet.media.roots.texts import path_of

_DEEPEST = 5
_MOST_FOLDERS = 300


def videos_in(places: Places, text: str) -> Iterator[str]:
    """Videos of a library, relative to it, as far as a look at some folders tells. Blocks."""
    spot = places.spot(path_of(text))
    waiting = deque([spot.parts])
    for _ in range(_MOST_FOLDERS):
        if not waiting:
            return
        folder = waiting.popleft()
        try:
            entries = spot.root.list(folder)
        except AppError:
            # The library itself must be there; what lies in it may be closed to us.
            if folder == spot.parts:
                raise
            continue
        for entry in entries:
            inside = (*folder, entry.name)
            if entry.is_folder and len(inside) - len(spot.parts) < _DEEPEST:
                waiting.append(inside)
            elif entry.is_file and file_kind(entry.name) == "video":
                yield "/".join(inside[len(spot.parts) :])
