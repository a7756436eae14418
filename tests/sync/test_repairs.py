"""Folders that drifted from their mode are put right, once for each time a person asks."""

from pathlib import Path
from typing import Any

import pytest

from quartet.sync.agent.repairs import Repairs
from quartet.sync.agent.store import WISHES, Store
from quartet.sync.engine import EngineConfig
from quartet.sync.engine.rest import Rest
from quartet.sync.protocol import DesiredFolder, DesiredState
from tests.sync.desk import Desk
from tests.sync.engines import engine, folder, program_path
from tests.sync.fleet import Server, agent, joined, server, text, until


@pytest.mark.anyio
async def test_the_wish_is_part_of_the_desired_state(desk: Desk) -> None:
    device, other = await desk.device()
    notes = await desk.folder("Notes")
    url = f"/api/folders/{notes['id']}/devices/{device}"
    assert await desk.refused("POST", f"{url}/revert") == (404, "share_not_found")
    await desk.share(notes["id"], device, "/home/x/notes", "receive")
    assert await desk.refused("POST", f"{url}/override") == (409, "wrong_mode_for_repair")
    first = (await desk.post(f"{url}/revert"))["revision"]
    wish = (await other.state(first)).folders[0].repair
    second = (await desk.post(f"{url}/revert"))["revision"]
    again = (await other.state(second)).folders[0].repair
    # A number that no other wish has, also none of a server that was set back.
    assert len({0, wish, again, first, second}) == 5
    # Another path does not change it, another mode forgets it.
    moved = await desk.share(notes["id"], device, "/home/x/moved", "receive")
    assert (await other.state(moved)).folders[0].repair == again
    turned = await desk.share(notes["id"], device, "/home/x/moved", "send")
    assert (await other.state(turned)).folders[0].repair == 0
    # Nor does it come back with an old revision.
    answer = await desk.post(f"/api/revisions/{second}/restore")
    assert (await other.state(answer["revision"])).folders[0].repair == 0


@pytest.mark.anyio
async def test_a_server_that_was_set_back_repeats_no_wish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "agent")
    # As an agent kept it that remembered the last one alone.
    (store.folder / "repaired.json").write_text('{"notes": 40}')
    override, asked = Rest.override, list[str]()

    async def counted(rest: Rest, ident: str) -> None:
        asked.append(ident)
        await override(rest, ident)

    monkeypatch.setattr(Rest, "override", counted)
    async with engine(tmp_path / "home") as made:
        wanted = folder("notes", tmp_path / "notes", type="sendonly")
        assert await made.apply(EngineConfig([], [wanted])) == {}
        repairs = Repairs(store)
        for wish, count in ((40, 0), (60, 1), (40, 1), (60, 1), (50, 2)):
            each = DesiredFolder(
                id="notes", label="notes", mode="send", path=wanted.path, repair=wish
            )
            await repairs.fulfil(made, DesiredState(1, "one", [], [each]), ())
            assert len(asked) == count, wish
    for wish in range(1000, 1000 + 2 * WISHES):
        store.repair("notes", wish)
    assert len(Store(store.folder).repaired()["notes"]) == WISHES


@pytest.mark.timeout(300)
def test_real_engines_revert_and_override(tmp_path: Path) -> None:
    program_path()
    with server(tmp_path) as desk:
        home = joined(desk, tmp_path, "laptop")
        with agent(home):
            until(lambda: desk.device("laptop").get("online"))
            got, sent = (desk.post("/api/folders", {"label": name}) for name in ("Got", "Sent"))
            desk.share(got["id"], ("laptop", home / "got"))
            desk.share(sent["id"], ("laptop", home / "sent"))
            desk.wait_until_idle(got["id"], "laptop")
            desk.wait_until_idle(sent["id"], "laptop")
            _everybody_has(desk, got, home / "got")
            _everybody_has(desk, sent, home / "sent")
            _mode(desk, got["id"], "receive", home / "got")
            _mode(desk, sent["id"], "send", home / "sent")
            (home / "got/a.txt").write_text("changed where nobody may")
            (_hub(desk, sent) / "a.txt").write_text("changed where nobody may")
            _repaired(desk, got["id"], "revert", home / "got/a.txt")
            _repaired(desk, sent["id"], "override", _hub(desk, sent) / "a.txt")


def _hub(desk: Server, folder: dict[str, Any]) -> Path:
    found: Path = desk.data / "folders" / folder["engineFolderId"]
    return found


def _everybody_has(desk: Server, folder: dict[str, Any], place: Path) -> None:
    (place / "a.txt").write_text("as it should be")
    until(lambda: text(_hub(desk, folder) / "a.txt") == "as it should be")


def _mode(desk: Server, folder: int, mode: str, path: Path) -> None:
    ident = desk.device("laptop")["id"]
    row = {"folderId": folder, "deviceId": ident, "mode": mode, "path": str(path)}
    revision = desk.post("/api/shares", {"changes": [row]})["revision"]
    until(lambda: desk.device("laptop")["appliedRev"] >= revision)
    desk.wait_until_idle(folder, "laptop")


def _repaired(desk: Server, folder: int, repair: str, path: Path) -> None:
    ident = desk.device("laptop")["id"]

    def drifted() -> int:
        status = desk.get("/api/status")["devices"][str(ident)]["folders"][str(folder)]
        found: int = status["drifted"]
        return found

    until(drifted)
    desk.post(f"/api/folders/{folder}/devices/{ident}/{repair}", None)
    until(lambda: text(path) == "as it should be")
    if repair == "revert":
        # The device has made this file itself, so its engine keeps what was undone as a copy.
        kept = until(lambda: list(path.parent.glob(".stversions/a~*.txt")))
        assert [each.read_text() for each in kept] == ["changed where nobody may"]
        assert [each.name for each in path.parent.glob("*.txt")] == ["a.txt"]
    # What is right again is also shown so.
    until(lambda: not drifted())
