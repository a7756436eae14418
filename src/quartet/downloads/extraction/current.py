import asyncio

from quartet.downloads.archives import ArchiveSet
from quartet.downloads.archives.types import Parts
from quartet.downloads.extraction.package_archives import first_path
from quartet.downloads.extraction.types import RunningExtraction
from quartet.kernel.errors import AppError
from quartet.kernel.files.errors import display_path


class CurrentExtraction:
    """The archive that is being extracted, to show its progress and protect its files."""

    def __init__(self) -> None:
        # Held while files are moved or deleted, and while the next archive is chosen.
        self.edits = asyncio.Lock()
        self.archive: ArchiveSet | None = None
        self._package_id: int | None = None
        self._percent = 0

    def start(self, archive: ArchiveSet, package_id: int | None) -> None:
        self.archive, self._package_id, self._percent = archive, package_id, 0

    def advance(self, percent: int) -> None:
        """May be called from any thread."""
        self._percent = percent

    def end(self) -> None:
        self.archive = None

    def shown(self) -> list[RunningExtraction]:
        if self.archive is None:
            return []
        return [RunningExtraction(first_path(self.archive), self._package_id, self._percent)]

    def percent_at(self, parts: Parts) -> int | None:
        """Return the progress, for a volume of the archive and each folder above it."""
        if self.archive is None:
            return None
        folder = self.archive.folder
        is_part = parts[:-1] == folder and parts[-1:] != () and parts[-1] in self.archive.parts
        return self._percent if is_part or folder[: len(parts)] == parts else None

    def require_untouched(self, parts: Parts) -> None:
        """Raise an error for paths in the target folder of the extraction, and for its parents."""
        if self.archive is None:
            return
        folder = self.archive.folder
        # In the done folder itself, only the archive is protected.
        inside = bool(folder) and parts[: len(folder)] == folder
        if inside or self.percent_at(parts) is not None:
            raise AppError(409, "extracting", path=display_path(parts))
