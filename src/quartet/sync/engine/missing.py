"""Lists the changes that an engine, or one of its peers, has yet to receive."""

from collections.abc import Iterable

from quartet.sync.engine.problems import problem_of_file
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import FailedFile, NeededFile
from quartet.sync.protocol import MissingFile, MissingFiles
from quartet.sync.protocol.limits import LARGEST_NUMBER, MISSING_FILES, PATH_CHARS


async def missing_files(rest: Rest, folder: str, *, receives: bool = True) -> MissingFiles:
    """Return what the engine lacks, with the reasons of failures.

    A send-only folder receives nothing; what it needs are the changes of other devices.
    """
    # One more than listed, to know whether there are more.
    failed = await rest.failed(folder, MISSING_FILES + 1)
    needed = await rest.needed(folder, MISSING_FILES + 1) if receives else []
    return _listed(needed, failed)


async def missing_on_peer(rest: Rest, folder: str, peer: str) -> MissingFiles:
    """Return what a peer lacks as far as the engine knows; it does not know about failures."""
    return _listed(await rest.needed_by(folder, peer, MISSING_FILES + 1), [])


def _listed(needed: Iterable[NeededFile], failed: Iterable[FailedFile]) -> MissingFiles:
    waiting = {each.name: each for each in needed}
    files = [_failed_file(each, waiting.pop(each.path, None)) for each in failed]
    files += [_file(each) for each in waiting.values()]
    return MissingFiles(files[:MISSING_FILES], len(files) > MISSING_FILES)


def _failed_file(failed: FailedFile, needed: NeededFile | None) -> MissingFile:
    problem = problem_of_file(failed.error)
    known = _file(needed or NeededFile(failed.path))
    return MissingFile(known.path, known.deleted, known.size, problem.code, problem.inputs)


def _file(needed: NeededFile) -> MissingFile:
    size = min(max(needed.size, 0), LARGEST_NUMBER)
    return MissingFile(needed.name[:PATH_CHARS], needed.deleted, size)
