import asyncio
import logging
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from urllib.parse import urlsplit

from quartet.kernel.batches import in_batches
from quartet.kernel.db import Database
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX
from quartet.media.artwork.wanted_files import FiledVideo, WantedFile, movie_files, series_files
from quartet.media.catalog.service import Catalog
from quartet.media.catalog.types import Candidate, Details, Pictures, PictureWidths
from quartet.media.moves import store as moves_store
from quartet.media.moves.disk import Disk
from quartet.media.moves.service import Moves
from quartet.media.moves.staging import remove_staging, stage
from quartet.media.moves.types import Plan, Step
from quartet.media.posters.service import Posters
from quartet.media.probe.service import Prober
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.folder_access import FolderAccess, RootedPath
from quartet.media.roots.path_encoding import encode_path
from quartet.media.roots.service import Folders
from quartet.media.roots.types import Folder
from quartet.media.types import Order, ProviderName

log = logging.getLogger("quartet.media.artwork")

# A folder in each library in which files are prepared, so that a rename puts them in place.
STAGING = f"{TEMPORARY_PREFIX}artwork"
_BATCH = 1000
_AT_ONCE = 6
# A host that failed this often in a row is not asked again in the same job.
_MOST_FAILURES = 6
_EXTENSIONS = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "image/svg+xml": "svg",
}


class Artwork:
    """Writes NFO files and pictures next to videos, through the journal of the moves."""

    def __init__(
        self, db: Database, folders: Folders, catalog: Catalog, posters: Posters, moves: Moves
    ) -> None:
        self._db = db
        self._folders = folders
        self._catalog = catalog
        self._posters = posters
        self._moves = moves

    async def write(
        self,
        job_id: int,
        videos: Sequence[FiledVideo],
        order: Order | None = None,
        language: str | None = None,
    ) -> None:
        """Write the files of videos in libraries that want them. Failures do not fail the job.

        `order` and `language` are those of the job, if it does not use the global settings.
        """
        access = await self._folders.access()
        libraries = [one for one in access.folders if one.nfo]
        for folder in sorted(libraries, key=lambda one: len(one.system_path), reverse=True):
            library = folder.system_path
            mine = [one for one in videos if is_within(one.target, library)]
            videos = [one for one in videos if not is_within(one.target, library)]
            if mine:
                wanted = await self._wanted(folder, mine, order, language)
                await self._write_in(folder, job_id, access, wanted)

    async def write_covers(self, job_id: int, tracks: Sequence[str], prober: Prober) -> None:
        """Write the covers that tracks contain into the folders of their albums."""
        # Imported here because only jobs for music need it.
        from quartet.media.artwork.album_covers import albums_of, cover_of, without_cover

        access = await self._folders.access()
        libraries = [one.system_path for one in access.folders if one.nfo]
        for library in sorted(libraries, key=len, reverse=True):
            albums = albums_of(one for one in tracks if is_within(one, library))
            bare = await asyncio.to_thread(without_cover, access, albums)
            covers = [await cover_of(prober, folder, albums[folder]) for folder in bare]
            written = await self._put(job_id, access, library, [one for one in covers if one])
            log.info("job %d: %d album covers written", job_id, written)

    async def _write_in(
        self, folder: Folder, job_id: int, access: FolderAccess, wanted: Sequence[WantedFile]
    ) -> None:
        written = 0
        source = _PictureSource(self._posters)
        # In batches, because the pictures of a large job do not fit into memory.
        for some in in_batches(wanted, _BATCH):
            files = await asyncio.gather(*(source.with_content(one) for one in some))
            ready = [one for one in files if one is not None]
            written += await self._put(job_id, access, folder.system_path, ready)
        log.info("job %d: %d NFO files and pictures written", job_id, written)

    async def _wanted(
        self,
        folder: Folder,
        videos: Sequence[FiledVideo],
        order: Order | None,
        language: str | None,
    ) -> list[WantedFile]:
        widths = PictureWidths(folder.poster_width, folder.fanart_width)
        by_title: dict[tuple[ProviderName, str], list[FiledVideo]] = defaultdict(list)
        for video in videos:
            if best := video.match.best:
                by_title[best.provider, best.id].append(video)
        found: list[WantedFile] = []
        for same in by_title.values():
            best = same[0].match.best
            if best is None:
                continue
            details = await self._details_of(best, widths, order, language)
            # In a thread, because writing XML for many files would block other requests.
            found += await asyncio.to_thread(_files_of, same, best, details, folder.system_path)
        return found

    async def _details_of(
        self,
        candidate: Candidate,
        widths: PictureWidths,
        order: Order | None,
        language: str | None,
    ) -> Details:
        try:
            return await self._catalog.details(candidate, widths, order, language)
        except AppError as error:
            log.warning("no details of %s %s: %s", candidate.provider, candidate.id, error)
            return Details(pictures=Pictures(poster=candidate.poster))

    async def _put(
        self, job_id: int, access: FolderAccess, library: str, wanted: Sequence[WantedFile]
    ) -> int:
        """Return how many files were written."""
        root = access.resolve(library)
        steps = await asyncio.to_thread(self._staged, access, root, wanted)
        if not steps:
            return 0
        try:
            plan = Plan(tuple(steps), job_id, clean_sources=False)
            report = await self._moves.execute(plan)
        finally:
            await asyncio.to_thread(remove_staging, root, STAGING)
        return report.count("done")

    def _staged(
        self, access: FolderAccess, root: RootedPath, wanted: Sequence[WantedFile]
    ) -> list[Step]:
        """Prepare new and changed files. Files of others are never replaced. Blocks."""
        steps: list[Step] = []
        disk = Disk()
        try:
            for file in {one.path: one for one in wanted}.values():
                target = access.resolve(file.path)
                if disk.stat_if_exists(target) and not self._is_replaceable(target, file):
                    continue
                staged = stage(disk, root, STAGING, file.content or b"")
                steps.append(
                    Step(staged, file.path, file.item_id, "move", "overwrite", role="artwork")
                )
        finally:
            disk.forget()
        return steps

    def _is_replaceable(self, target: RootedPath, file: WantedFile) -> bool:
        """Return True for a file that was written here, not edited, and whose content is new."""
        with target.root.open(target.parts) as current:
            if current.read() == file.content:
                return False
            seen = os.fstat(current.fileno())
        with self._db.engine.connect() as conn:
            return moves_store.is_artwork(conn, target.path, seen.st_size, seen.st_mtime_ns)

    def clean_up(self) -> None:
        """Remove what an interrupted process prepared. Called at startup. Blocks."""
        for folder in self._folders.all_sync():
            if folder.nfo:
                remove_staging(FolderAccess([folder]).resolve(folder.system_path), STAGING)


class _PictureSource:
    """Fetches the pictures of one job, and asks no host again that cannot be reached."""

    def __init__(self, posters: Posters) -> None:
        self._posters = posters
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._failures: Counter[str] = Counter()

    async def with_content(self, wanted: WantedFile) -> WantedFile | None:
        if wanted.picture is None:
            return wanted
        host = urlsplit(wanted.picture).netloc
        async with self._slots:
            if self._failures[host] >= _MOST_FAILURES:
                return None
            try:
                poster = await self._posters.get(wanted.picture)
            except AppError as error:
                log.warning("picture for %s not written: %s", encode_path(wanted.path), error)
                self._count_failure(host, error)
                return None
        self._failures[host] = 0
        path = f"{wanted.path}.{_EXTENSIONS[poster.media_type]}"
        return wanted._replace(path=path, content=poster.picture)

    def _count_failure(self, host: str, error: AppError) -> None:
        # These tell about one picture, not about the host.
        if error.code.startswith("poster_"):
            return
        self._failures[host] += 1
        if self._failures[host] == _MOST_FAILURES:
            log.warning("%s cannot be reached, its other pictures are left out", host)


def _files_of(
    videos: Sequence[FiledVideo], best: Candidate, details: Details, library: str
) -> list[WantedFile]:
    if best.kind == "movie":
        return [file for one in videos for file in movie_files(one, best, details)]
    return series_files(videos, best, details, library)
