"""Local changes against a folder's mode are repaired once per request."""

from pathlib import Path
from typing import Any

import pytest

from quartet.sync.agent.repairs import FolderRepairs
from quartet.sync.agent.store import KEPT_REQUESTS, Store
from quartet.sync.engine import EngineConfig
from quartet.sync.engine.rest import Rest
from quartet.sync.protocol import DesiredFolder, DesiredState
from tests.sync.engines import engine, folder, program_path
from tests.sync.processes import Server, agent, joined, server, text, until
from tests.sync.running_app import RunningApp


@pytest.mark.anyio
async def test_repair_request_is_part_of_desired_state(app: RunningApp) -> None:
    device, other = await app.device()
    notes = await app.folder("Notes")
    url = f"/api/folders/{notes['id']}/devices/{device}"
    assert await app.refused("POST", f"{url}/revert") == (404, "share_not_found")
    await app.share(notes["id"], device, "/home/x/notes", "receive")
    assert await app.refused("POST", f"{url}/override") == (409, "wrong_mode_for_repair")
    first = (await app.post(f"{url}/revert"))["revision"]
    wish = (await other.state(first)).folders[0].repair
    second = (await app.post(f"{url}/revert"))["revision"]
    again = (await other.state(second)).folders[0].repair
    # Random ids, so that even a restored server does not repeat one.
    assert len({0, wish, again, first, second}) == 5
    # Another path keeps the request, another mode drops it.
    moved = await app.share(notes["id"], device, "/home/x/moved", "receive")
    assert (await other.state(moved)).folders[0].repair == again
    turned = await app.share(notes["id"], device, "/home/x/moved", "send")
    assert (await other.state(turned)).folders[0].repair == 0
    # A restored revision does not bring it back.
    answer = await app.post(f"/api/revisions/{second}/restore")
    assert (await other.state(answer["revision"])).folders[0].repair == 0


@pytest.mark.anyio
async def test_restored_server_repeats_no_repair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "agent")
    # The format of older agents, which stored only the last id.
    (store.folder / "repaired.json").write_text('{"notes": 40}')
    override, asked = Rest.override, list[str]()

    async def counted(rest: Rest, ident: str) -> None:
        asked.append(ident)
        await override(rest, ident)

    monkeypatch.setattr(Rest, "override", counted)
    async with engine(tmp_path / "home") as made:
        wanted = folder("notes", tmp_path / "notes", type="sendonly")
        assert await made.apply(EngineConfig([], [wanted])) == {}
        repairs = FolderRepairs(store)
        for wish, count in ((40, 0), (60, 1), (40, 1), (60, 1), (50, 2)):
            each = DesiredFolder(
                id="notes", label="notes", mode="send", path=wanted.path, repair=wish
            )
            await repairs.perform(made, DesiredState(1, "one", [], [each]), {})
            assert len(asked) == count, wish
    for wish in range(1000, 1000 + 2 * KEPT_REQUESTS):
        store.repair("notes", wish)
    assert len(Store(store.folder).repaired()["notes"]) == KEPT_REQUESTS


@pytest.mark.nightly
@pytest.mark.timeout(300)
def test_real_engines_revert_and_override(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as app:
        home = joined(app, tmp_path, "laptop")
        with agent(home):
            until(lambda: app.device("laptop").get("online"))
            got, sent = (app.post("/api/folders", {"label": name}) for name in ("Got", "Sent"))
            app.share(got["id"], ("laptop", home / "got"))
            app.share(sent["id"], ("laptop", home / "sent"))
            app.wait_until_idle(got["id"], "laptop")
            app.wait_until_idle(sent["id"], "laptop")
            _write_synced_file(app, got, home / "got")
            _write_synced_file(app, sent, home / "sent")
            _mode(app, got["id"], "receive", home / "got")
            _mode(app, sent["id"], "send", home / "sent")
            (home / "got/a.txt").write_text("changed where nobody may")
            (_hub(app, sent) / "a.txt").write_text("changed where nobody may")
            _repaired(app, got["id"], "revert", home / "got/a.txt")
            _repaired(app, sent["id"], "override", _hub(app, sent) / "a.txt")


def _hub(app: Server, folder: dict[str, Any]) -> Path:
    found: Path = app.data / "folders" / folder["engineFolderId"]
    return found


def _write_synced_file(app: Server, folder: dict[str, Any], place: Path) -> None:
    (place / "a.txt").write_text("as it should be")
    until(lambda: text(_hub(app, folder) / "a.txt") == "as it should be")


def _mode(app: Server, folder: int, mode: str, path: Path) -> None:
    ident = app.device("laptop")["id"]
    row = {"folderId": folder, "deviceId": ident, "mode": mode, "path": str(path)}
    revision = app.post("/api/shares", {"changes": [row]})["revision"]
    until(lambda: app.device("laptop")["appliedRev"] >= revision)
    app.wait_until_idle(folder, "laptop")


def _repaired(app: Server, folder: int, repair: str, path: Path) -> None:
    ident = app.device("laptop")["id"]

    def drifted() -> int:
        status = app.get("/api/status")["devices"][str(ident)]["folders"][str(folder)]
        found: int = status["drifted"]
        return found

    until(drifted)
    # The dialog lists what will change.
    listed = app.get(f"/api/folders/{folder}/devices/{ident}/drifted")
    assert [each["path"] for each in listed["files"]] == ["a.txt"]
    app.post(f"/api/folders/{folder}/devices/{ident}/{repair}", None)
    until(lambda: text(path) == "as it should be")
    if repair == "revert":
        # The device created this file, so its engine keeps the reverted content as a copy.
        kept = until(lambda: list(path.parent.glob(".stversions/a~*.txt")))
        assert [each.read_text() for each in kept] == ["changed where nobody may"]
        assert [each.name for each in path.parent.glob("*.txt")] == ["a.txt"]
    # The repaired state is also shown.
    until(lambda: not drifted())
