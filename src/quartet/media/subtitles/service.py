import asyncio
import logging
from collections.abc import Sequence
from typing import NamedTuple

from quartet.kernel.batches import in_batches
from quartet.kernel.errors import AppError
from quartet.kernel.files import TEMPORARY_PREFIX
from quartet.media.jobs.records import ItemRecord, JobResult
from quartet.media.moves.disk import Disk
from quartet.media.moves.generated_names import split_tail
from quartet.media.moves.service import Moves
from quartet.media.moves.staging import remove_staging, stage
from quartet.media.moves.types import Plan, Step
from quartet.media.options.service import OptionsService
from quartet.media.options.types import Keys
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.folder_access import FolderAccess
from quartet.media.roots.service import Folders
from quartet.media.subtitles.child import search_in_child
from quartet.media.subtitles.types import FoundSubtitle, SearchRequest, WantedVideo

log = logging.getLogger("quartet.media.subtitles")

SERVER = "https://api.opensubtitles.com/api/v1/"
STAGING = f"{TEMPORARY_PREFIX}subtitles"
_MOST_WAITING = 1000
_VIDEOS_PER_SEARCH = 10
_EXTENSIONS = ("srt", "ass", "ssa", "vtt")


class FiledFile(NamedTuple):
    item_id: int
    # The name before the job, which names the release.
    release: str
    target: str


class Subtitles:
    """Searches subtitles for the videos of finished jobs, in the languages of their library.

    They are written through the journal of the moves, and therefore undone with the job.
    """

    def __init__(self, folders: Folders, options: OptionsService, moves: Moves) -> None:
        self._folders = folders
        self._options = options
        self._moves = moves
        self._queue: asyncio.Queue[JobResult] = asyncio.Queue(_MOST_WAITING)

    def enqueue(self, result: JobResult) -> None:
        if not result.done:
            return
        try:
            self._queue.put_nowait(result)
        except asyncio.QueueFull:
            log.warning("too many jobs, no subtitles for job %d", result.job.id)

    async def run(self) -> None:
        while True:
            result = await self._queue.get()
            try:
                await self.fetch(result.job.id, _filed_files(result.items))
            except AppError as error:
                log.warning("no subtitles for job %d: %s", result.job.id, error)

    async def fetch(self, job_id: int, files: Sequence[FiledFile]) -> None:
        access = await self._folders.access()
        keys = (await self._options.current()).keys
        libraries = [one for one in access.folders if one.subtitles]
        if not libraries:
            return
        if not (keys.opensubtitles_user and keys.opensubtitles_password):
            log.warning("no subtitles for job %d: no account of a provider is set", job_id)
            return
        for library in sorted(libraries, key=lambda one: len(one.system_path), reverse=True):
            mine = [one for one in files if is_within(one.target, library.system_path)]
            files = [one for one in files if one not in mine]
            for some in in_batches(mine, _VIDEOS_PER_SEARCH):
                wanted = await asyncio.to_thread(_wanted, access, some, library.subtitles)
                if wanted and not await self._fetch_some(
                    job_id, access, library.system_path, some, _request(keys, wanted)
                ):
                    return

    async def _fetch_some(
        self,
        job_id: int,
        access: FolderAccess,
        library: str,
        files: Sequence[FiledFile],
        request: SearchRequest,
    ) -> bool:
        """Return False if the provider accepts no more requests."""
        response = await search_in_child(request)
        items = {one.target: one.item_id for one in files}
        root = access.resolve(library)
        try:
            steps = await asyncio.to_thread(_steps, access, library, items, response.found)
            if steps:
                plan = Plan(tuple(steps), job_id, clean_sources=False)
                report = await self._moves.execute(plan)
                log.info("job %d: %d subtitles written", job_id, report.count("done"))
        finally:
            await asyncio.to_thread(remove_staging, root, STAGING)
        if response.refused:
            log.warning("the provider of subtitles refused more requests for job %d", job_id)
        return not response.refused

    def clean_up(self) -> None:
        """Remove what an interrupted process prepared. Called at startup. Blocks."""
        for folder in self._folders.all_sync():
            if folder.subtitles:
                remove_staging(FolderAccess([folder]).resolve(folder.system_path), STAGING)


def _filed_files(items: Sequence[ItemRecord]) -> list[FiledFile]:
    return [
        FiledFile(item.id, item.name, item.target)
        for item in items
        if item.state == "done"
        and item.target
        and not item.is_folder
        and not (item.parsed and item.parsed.extra)
    ]


def _request(keys: Keys, wanted: Sequence[WantedVideo]) -> SearchRequest:
    return SearchRequest(
        server=SERVER,
        user=keys.opensubtitles_user,
        password=keys.opensubtitles_password,
        key=keys.opensubtitles_key,
        videos=tuple(wanted),
    )


def _wanted(
    access: FolderAccess, files: Sequence[FiledFile], languages: Sequence[str]
) -> list[WantedVideo]:
    """Return the videos that lack subtitles in some language. Blocks."""
    found = []
    for file in files:
        lacking = [one for one in languages if not _has_subtitle(access, file.target, one)]
        if lacking and _is_text(file.target) and _exists(access, file.target):
            found.append(WantedVideo(file.target, file.release, tuple(lacking)))
    return found


def _has_subtitle(access: FolderAccess, video: str, language: str) -> bool:
    stem = _stem(video)
    return any(_exists(access, f"{stem}.{language}.{one}") for one in _EXTENSIONS)


def _is_text(path: str) -> bool:
    """A name with other bytes cannot be sent to the child process as JSON."""
    return path == path.encode(errors="replace").decode()


def _exists(access: FolderAccess, path: str) -> bool:
    try:
        location = access.resolve(path)
        return location.root.exists(location.parts)
    except AppError:
        return False


def _steps(
    access: FolderAccess, library: str, items: dict[str, int], found: Sequence[FoundSubtitle]
) -> list[Step]:
    """Prepare the files, except for videos that were moved away during the search. Blocks."""
    root = access.resolve(library)
    disk = Disk()
    try:
        return [
            Step(
                stage(disk, root, STAGING, one.content),
                f"{_stem(one.path)}.{one.language}.srt",
                items[one.path],
                "move",
                "skip",
                role="artwork",
            )
            for one in found
            if one.path in items and _exists(access, one.path)
        ]
    finally:
        disk.forget()


def _stem(video: str) -> str:
    folder, _, name = video.rpartition("/")
    return f"{folder}/{split_tail(name)[0]}"
