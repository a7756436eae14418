"""From the desired state to the engine's configuration, less what this device refuses."""

from collections.abc import Mapping

from quartet.kernel.errors import Problem
from quartet.sync.agent.paths import Grounds, Survey
from quartet.sync.engine import EngineConfig, EngineFolder, EnginePeer
from quartet.sync.engine.types import FolderType
from quartet.sync.protocol import DesiredFolder, DesiredState, FolderError, Mode
from quartet.sync.protocol.messages import Inputs

TYPES: dict[Mode, FolderType] = {
    "both": "sendreceive",
    "send": "sendonly",
    "receive": "receiveonly",
}
INPUT_CHARS = 1000
# With so many folders in trouble that each gets less, a message still fits in.
INPUTS_CHARS = 100_000


def engine_config(
    state: DesiredState, grounds: Grounds, passwords: Mapping[str, str]
) -> tuple[EngineConfig, dict[str, Problem]]:
    peers = [EnginePeer(peer.engine_id, "hub", tuple(peer.addresses)) for peer in state.peers]
    folders: list[EngineFolder] = []
    refused: dict[str, Problem] = {}
    survey = Survey(grounds)
    for folder in state.folders:
        problem = _problem(folder, survey, passwords)
        if problem is None:
            folders.append(_folder(folder, passwords))
        else:
            refused[folder.id] = problem
    return EngineConfig(peers, folders), refused


def _problem(folder: DesiredFolder, survey: Survey, passwords: Mapping[str, str]) -> Problem | None:
    if folder.encrypted and not passwords.get(folder.id):
        # Without it the folder would reach the hub in plain text.
        return Problem("password_missing", {"folder": folder.id})
    return survey.take(folder.path, folder.label)


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
