"""Translates the desired state into an engine configuration and leaves out unacceptable folders."""

from collections.abc import Mapping

from quartet.kernel.errors import Problem
from quartet.sync.agent.paths import PathChecker, PathPolicy
from quartet.sync.engine import EngineConfig, EngineFolder, EnginePeer
from quartet.sync.engine.types import FolderType
from quartet.sync.protocol import DesiredFolder, DesiredState, FolderError, Mode
from quartet.sync.protocol.message_types import Inputs

TYPES: dict[Mode, FolderType] = {
    "both": "sendreceive",
    "send": "sendonly",
    "receive": "receiveonly",
}
INPUT_CHARS = 1000
# Budget for the inputs of all folder errors, so that a message with many of them stays within the
# size limit.
INPUTS_CHARS = 100_000


def engine_config(
    state: DesiredState, policy: PathPolicy, passwords: Mapping[str, str]
) -> tuple[EngineConfig, dict[str, Problem]]:
    peers = [EnginePeer(peer.engine_id, "hub", tuple(peer.addresses)) for peer in state.peers]
    folders: list[EngineFolder] = []
    refused: dict[str, Problem] = {}
    checker = PathChecker(policy)
    for folder in state.folders:
        problem = _problem(folder, checker, passwords)
        if problem is None:
            folders.append(_folder(folder, passwords))
        else:
            refused[folder.id] = problem
    return EngineConfig(peers, folders), refused


def _problem(
    folder: DesiredFolder, checker: PathChecker, passwords: Mapping[str, str]
) -> Problem | None:
    if folder.encrypted and not passwords.get(folder.id):
        # Without a password, the folder would reach the hub unencrypted.
        return Problem("password_missing", {"folder": folder.id})
    for pattern in folder.ignore_patterns:
        # The engine would read any file of its user, and name lines of it in errors.
        if pattern.strip().lower().startswith("#include") or len(pattern.splitlines()) > 1:
            return Problem("bad_ignore_pattern", {"reason": pattern})
    return checker.reserve(folder.path, folder.label)


def _folder(folder: DesiredFolder, passwords: Mapping[str, str]) -> EngineFolder:
    return EngineFolder(
        id=folder.id,
        label=folder.label,
        path=folder.path,
        type=TYPES[folder.mode],
        peers=folder.peers,
        versioning=folder.versioning,
        ignore_patterns=folder.ignore_patterns,
        password=passwords[folder.id] if folder.encrypted else "",
        paused=folder.paused,
    )


def folder_errors(problems: Mapping[str, Problem]) -> list[FolderError]:
    room = min(INPUT_CHARS, INPUTS_CHARS // max(len(problems), 1))
    return [
        FolderError(folder, problem.code, _inputs(problem, room))
        for folder, problem in problems.items()
    ]


def _inputs(problem: Problem, room: int) -> Inputs:
    return {
        name: value if isinstance(value, int) else str(value)[:room]
        for name, value in problem.inputs.items()
    }
