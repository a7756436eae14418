"""With the maximum number of folders and the longest names, every message fits its limit."""

from typing import Any

import pytest

from quartet.kernel.errors import Problem
from quartet.sync.agent.desired import folder_errors
from quartet.sync.protocol import (
    Applied,
    DesiredFolder,
    DesiredState,
    FolderStatus,
    Peer,
    Status,
    Versioning,
    decode_from_agent,
    encode,
)
from quartet.sync.protocol.limits import (
    AGENT_MESSAGE_BYTES,
    FOLDERS_PER_DEVICE,
    LABEL_CHARS,
    PATH_CHARS,
    PATTERN_CHARS,
    PATTERNS,
    PATTERNS_BYTES,
    SERVER_MESSAGE_BYTES,
)
from tests.sync.running_app import RunningApp

WIDE = "\U0001d11e"
MOST = 2**53 - 1
IDS = [f"{number:064}" for number in range(FOLDERS_PER_DEVICE)]
PATH = "/" + WIDE * (PATH_CHARS - 1)
LABEL = WIDE * LABEL_CHARS
LONGEST_STATUS = FolderStatus(
    "sync-preparing", MOST, MOST, MOST, MOST, MOST, MOST, MOST, MOST, hub_known=False
)
PROBLEM = Problem("path_nested", {"path": PATH, "folder": LABEL})


@pytest.mark.parametrize(
    "message",
    [
        Status(dict.fromkeys(IDS, LONGEST_STATUS)),
        Applied(MOST, folder_errors(dict.fromkeys(IDS, PROBLEM))),
    ],
)
def test_agent_messages_fit_limit(message: Status | Applied) -> None:
    raw = encode(message).encode()
    assert len(raw) <= AGENT_MESSAGE_BYTES
    assert decode_from_agent(raw) == message


def test_few_errors_keep_all_inputs() -> None:
    assert folder_errors({IDS[0]: PROBLEM})[0].inputs == PROBLEM.inputs


def test_server_messages_fit_limit() -> None:
    engine = "A" * 63
    folders = [
        DesiredFolder(
            id=each,
            label=LABEL,
            mode="receive",
            path=PATH,
            versioning=Versioning(max_age_days=36500),
            # The patterns have a limit of their own.
            ignore_patterns=[""],
            peers=[engine],
            encrypted=True,
            repair=MOST,
            paused=False,
        )
        for each in IDS
    ]
    state = DesiredState(MOST, "0" * 16, [Peer(engine, ["tcp://" + "h" * 300])], folders)
    assert len(encode(state).encode()) + PATTERNS_BYTES <= SERVER_MESSAGE_BYTES


@pytest.mark.anyio
async def test_patterns_are_limited_in_total(app: RunningApp) -> None:
    many = [WIDE * PATTERN_CHARS] * PATTERNS
    most = PATTERNS_BYTES // len("".join(many).encode())
    for number in range(most):
        await app.folder(f"{number}", ignorePatterns=many)
    before = (await app.overview())["revision"]
    body: dict[str, Any] = {"label": "more", "ignorePatterns": many}
    refused = (422, "patterns_too_large")
    assert await app.refused("POST", "/api/folders", json=body) == refused
    other = await app.folder("more")
    body = {"ignorePatterns": many}
    assert await app.refused("PATCH", f"/api/folders/{other['id']}", json=body) == refused
    assert (await app.overview())["revision"] == before + 1
    # Existing folders can still be changed.
    await app.admin.patch("/api/folders/1", json={"label": "first", "ignorePatterns": many[1:]})
    assert (await app.overview())["revision"] == before + 2
    file = await app.get("/api/config/export")
    file["folders"][-1]["ignorePatterns"] = many
    assert await app.refused("POST", "/api/config/import", json=file) == refused
