"""Another server at the same address: a restored copy that stands in, and a rogue one."""

from pathlib import Path

import pytest

from tests.real_servers import free_port
from tests.sync.engines import program_path
from tests.sync.processes import Server, agent, joined, quartet, server, text, until

pytestmark = pytest.mark.timeout(300)


def test_device_follows_restored_server_and_then_the_first_again(tmp_path: Path) -> None:
    program_path()
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    port, hub = str(free_port()), f"127.0.0.1:{free_port()}"
    with server(first, "--port", port, SYNC_HUB_LISTEN=hub) as app:
        home = joined(app, tmp_path, "laptop")
        with agent(home):
            _shares(app, home, "before")
        backup = str(tmp_path / "backup.tar.gz")
        quartet("backup", "sync", backup, "--data", str(first / "data"), cwd=tmp_path)
    quartet("restore", "sync", backup, "--data", str(second / "data"), cwd=tmp_path)
    with agent(home):
        with server(second, "--port", port, SYNC_HUB_LISTEN=hub) as app:
            _shares(app, home, "meanwhile")
        with server(first, "--port", port, SYNC_HUB_LISTEN=hub) as app:
            # The device says that it does not follow, and the page shows it.
            until(lambda: app.device("laptop").get("refusal") == "epoch_left")
            app.post("/api/epochs", None)
            _shares(app, home, "after")
            assert app.device("laptop")["refusal"] == ""


@pytest.mark.nightly
def test_rogue_server_at_same_address_receives_no_files(tmp_path: Path) -> None:
    program_path()
    first, rogue = tmp_path / "first", tmp_path / "rogue"
    first.mkdir()
    rogue.mkdir()
    port, hub = str(free_port()), f"127.0.0.1:{free_port()}"
    with server(first, "--port", port, SYNC_HUB_LISTEN=hub) as app:
        home = joined(app, tmp_path, "laptop")
        with agent(home):
            _shares(app, home, "notes")
    with agent(home):
        with server(rogue, "--port", port, SYNC_HUB_LISTEN=hub) as app:
            app.post("/api/folders", {"label": "notes"})
            until(lambda: app.get("/api/overview")["hub"]["state"] == "running")
            (home / "notes/secret.txt").write_text("not for the rogue")
            until(lambda: "this is not the server that was joined" in text(home / "log"))
            seen = app.get("/api/overview")
            assert (seen["devices"], seen["waiting"], seen["pendingDevices"]) == ([], [], [])
            # Newer engines describe the folder in its marker.
            found = (app.data / "folders").rglob("*.txt")
            assert not [each for each in found if ".stfolder" not in each.parts]
        with server(first, "--port", port, SYNC_HUB_LISTEN=hub) as app:
            until(lambda: list((app.data / "folders").rglob("secret.txt")))


def _shares(app: Server, home: Path, name: str) -> None:
    """A new folder reaches the device, and a file reaches the hub."""
    until(lambda: app.device("laptop").get("online"))
    folder = app.post("/api/folders", {"label": name})
    app.share(folder["id"], ("laptop", home / name))
    app.wait_until_idle(folder["id"], "laptop")
    (home / name / "file.txt").write_text(name)
    until(lambda: text(app.data / "folders" / folder["engineFolderId"] / "file.txt") == name)
