"""Which library of each kind is the default one."""

from collections.abc import Sequence

from quartet.media.roots.types import Folder

LIBRARIES = ("movies", "series")


def default_ids(folders: Sequence[Folder], wanted: int | None = None) -> list[int]:
    """One for each kind that has a library: the wanted one, the one so far, or the first."""
    chosen = []
    for kind in LIBRARIES:
        libraries = [folder for folder in folders if folder.kind == kind]
        if libraries:
            best = min(libraries, key=lambda one: (one.id != wanted, not one.default, one.id))
            chosen.append(best.id)
    return chosen
