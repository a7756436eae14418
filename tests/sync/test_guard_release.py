"""Files that the guard lets pass, and held changes that a user releases."""

from pathlib import Path

import pytest

from quartet.sync.hub.gate import Gate
from quartet.sync.hub.types import HubChange, PendingChange, PendingChanges
from quartet.sync.hubfiles.guard import service, watch
from quartet.sync.hubfiles.guard.watch import Guard
from tests.sync.guard_scene import FullHub, Later, no_scan, scene
from tests.sync.running_app import RunningApp, until

pytestmark = pytest.mark.anyio


async def test_checked_files_may_pass_for_long_while_some_do(
    app: RunningApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = await scene(app, left=2)
    folder, who = now.folder["engineFolderId"], now.engine_id
    place = tmp_path / "gate"
    gate = Gate(place)
    gate.prepare()
    pending = [PendingChange(path, who, "deleted", 10) for path in ("a.jpg", "b.jpg")]

    class AskingHub(FullHub):
        async def pending(self, _folder: str) -> PendingChanges:
            return PendingChanges(pending, 2)

    hub = AskingHub(folder, 2)
    guard = Guard(now.guard.holds, hub, gate, no_scan, percent=50, files=50)
    allowed = [place / "allowed" / folder / each.path for each in pending]
    (place / "asked" / folder).touch()

    waiting: Path = allowed[1]

    async def check() -> bool:
        await guard.check()
        return waiting.exists()

    await until(check)
    # The engine takes a while for the first file.
    allowed[0].unlink()
    (place / "passed" / f"1.{folder}").write_text("a.jpg//")
    guard.handle_changes([HubChange(folder, who, "deleted", "a.jpg", "file")])
    assert await check()
    pending.pop(0)
    monkeypatch.setattr(watch, "time", Later(watch.ALLOWED_SECONDS))
    assert await check()
    monkeypatch.setattr(watch, "time", Later(2 * watch.ALLOWED_SECONDS + 1))
    assert not await check()


async def test_release_lasts_until_all_files_have_passed(
    app: RunningApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 100)
    assert await now.held()
    url = f"/api/folders/{now.folder['id']}/devices/{now.device}/release"
    folder, who = now.folder["engineFolderId"], now.engine_id
    holds = now.guard.holds
    # The server of the test has a guard of its own.
    await holds.release("admin", now.folder["id"], now.device)
    assert (await app.refused("POST", url))[0] == 409
    place = tmp_path / "gate"
    gate = Gate(place)
    gate.prepare()
    pending = [PendingChange(f"{number}.jpg", who, "deleted", 10) for number in range(200)]

    class AskingHub(FullHub):
        async def pending(self, _folder: str) -> PendingChanges:
            return PendingChanges(list(pending), len(pending))

    guard = Guard(holds, AskingHub(folder, 200), gate, no_scan, percent=50, files=50)
    (place / "asked" / folder).touch()
    last: Path = place / "allowed" / folder / pending[-1].path

    async def allowed() -> bool:
        await guard.check()
        return last.exists()

    async def held() -> bool:
        [share] = (await app.overview())["shares"]
        return bool(share.get("held"))

    def let_pass(count: int) -> None:
        for each in pending[:count]:
            (place / "passed" / f"{each.path[:-4]}.{folder}").write_text(f"{each.path}//")
        guard.handle_changes(
            HubChange(folder, who, "deleted", each.path, "file") for each in pending[:count]
        )
        del pending[:count]

    await until(allowed)
    # More than ten minutes, with a check each minute.
    for minute in range(1, 16):
        let_pass(2)
        assert await allowed(), minute
        later = Later(minute * (watch.ALLOWED_SECONDS + 1))
        monkeypatch.setattr(watch, "time", later)
        monkeypatch.setattr(service, "time", later)
        assert await allowed(), minute
    assert not await held()
    # Files that the device adds to them are not part of the release.
    pending.extend(PendingChange(f"{number}.png", who, "deleted", 10) for number in range(300))
    for minute in range(16, 32):
        let_pass(1)
        pending.append(PendingChange(f"{minute}.gif", who, "deleted", 10))
        await guard.check()
        later = Later(minute * (watch.ALLOWED_SECONDS + 1))
        monkeypatch.setattr(watch, "time", later)
        monkeypatch.setattr(service, "time", later)
        await guard.check()
    assert await held()


async def test_released_changes_do_not_count_when_the_release_ends(
    app: RunningApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = await scene(app, left=40)
    now.change("deleted", 100)
    assert await now.held()
    await now.guard.holds.release("admin", now.folder["id"], now.device)

    def wait_until(seconds: float) -> None:
        monkeypatch.setattr(watch, "time", Later(seconds))
        monkeypatch.setattr(service, "time", Later(seconds))

    # A minute of room on each side, because the test itself takes time.
    wait_until(service.RELEASE_SECONDS - 60)
    now.change("deleted", 100)
    assert not await now.held()
    wait_until(service.RELEASE_SECONDS + 60)
    assert not await now.held()
    now.change("deleted", 100)
    assert await now.held()
