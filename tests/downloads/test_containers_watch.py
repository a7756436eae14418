"""The watch folder."""

from pathlib import Path

import pytest

from quartet.downloads.containers.service import LARGEST_FILE, Containers
from quartet.downloads.containers.watch_folder import WatchFolder
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.client import Client
from tests.downloads.clicknload import collected
from tests.downloads.conftest import logged_in
from tests.downloads.extraction_helpers import until

pytestmark = pytest.mark.anyio

LINK = "https://files.example/one.rar"


@pytest.fixture
def dropped(tmp_path: Path) -> Path:
    folder = tmp_path / "dropped"
    folder.mkdir()
    return folder


@pytest.fixture
def watch(ada: Client, dropped: Path) -> WatchFolder:
    return watch_of(ada, dropped)


def watch_of(client: Client, dropped: Path) -> WatchFolder:
    containers = client.started.built.dependencies["containers"]
    assert isinstance(containers, Containers)
    return WatchFolder(Root(dropped), containers, client.started.kernel.db)


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_file_is_read_when_it_stops_growing(
    ada: Client, watch: WatchFolder, dropped: Path
) -> None:
    (dropped / "List.txt").write_text(LINK)
    await watch.check()
    assert await collected(ada) == []
    (dropped / "List.txt").write_text(f"{LINK}\n{LINK}2")
    await watch.check()
    assert await collected(ada) == []
    await watch.check()
    assert await collected(ada) == [("List", [LINK, f"{LINK}2"])]
    assert names(dropped) == ["done/List.txt"]
    await watch.check()
    assert len(await collected(ada)) == 1


async def test_unreadable_file_is_moved_to_failed(
    ada: Client, watch: WatchFolder, dropped: Path
) -> None:
    (dropped / "bad.rsdf").write_bytes(b"no")
    (dropped / "large.txt").write_bytes(b"x" * (LARGEST_FILE + 1))
    (dropped / "good.txt").write_text(LINK)
    for _ in range(2):
        await watch.check()
    assert names(dropped) == ["done/good.txt", "failed/bad.rsdf", "failed/large.txt"]
    assert await collected(ada) == [("good", [LINK])]


async def test_same_file_name_can_be_added_again(
    ada: Client, watch: WatchFolder, dropped: Path
) -> None:
    for _ in range(2):
        (dropped / "List.txt").write_text(LINK)
        for _ in range(2):
            await watch.check()
    assert names(dropped) == ["done/List (1).txt", "done/List.txt"]
    assert len(await collected(ada)) == 2


async def test_hidden_and_incomplete_files_are_ignored(
    ada: Client, watch: WatchFolder, dropped: Path
) -> None:
    (dropped / "secret.txt").write_text(LINK)
    (dropped / "link.txt").symlink_to(dropped.parent / "elsewhere.txt")
    (dropped.parent / "elsewhere.txt").write_text(LINK)
    (dropped / ".hidden.txt").write_text(LINK)
    (dropped / "x.txt.part").write_text(LINK)
    (dropped / "secret.txt").unlink()
    for _ in range(3):
        await watch.check()
    assert names(dropped) == [".hidden.txt", "link.txt", "x.txt.part"]
    assert await collected(ada) == []


async def test_file_that_cannot_be_moved_is_read_once(
    ada: Client, watch: WatchFolder, dropped: Path
) -> None:
    # A file is in the place of the folder.
    (dropped / "done").write_text("in the way")
    (dropped / "List.txt").write_text(LINK)
    for _ in range(4):
        try:
            await watch.check()
        except Exception as error:  # noqa: BLE001 - the supervisor shows it
            assert "not_a_folder" in str(error) or "already_exists" in str(error)
    assert await collected(ada) == [("List", [LINK])]


async def test_running_service_watches_folder(tmp_path: Path) -> None:
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch/List.txt").write_text(LINK)
    async with logged_in(tmp_path) as ada:

        async def added() -> bool:
            return bool(await collected(ada))

        ada.started.kernel.supervisor.run_now("watched-folder")
        await until(ada, added)


async def test_file_read_by_previous_process_is_only_moved(
    ada: Client, watch: WatchFolder, dropped: Path
) -> None:
    """The process ends after the links were added and before the file was moved."""
    (dropped / "list.txt").write_text(LINK)
    (dropped / "done").symlink_to("nowhere")
    await watch.check()
    with pytest.raises(AppError):
        await watch.check()
    assert len(await collected(ada)) == 1
    (dropped / "done").unlink()
    next_watch = watch_of(ada, dropped)
    await next_watch.check()
    await next_watch.check()
    assert names(dropped) == ["done/list.txt"]
    assert len(await collected(ada)) == 1
    # The same file again, intentionally.
    (dropped / "done" / "list.txt").rename(dropped / "list.txt")
    for _ in range(3):
        await next_watch.check()
    assert len(await collected(ada)) == 2
