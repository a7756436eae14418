"""The watched folder."""

from pathlib import Path

import pytest

from quartet.downloads.containers.service import LARGEST_FILE, Containers
from quartet.downloads.containers.watching import Watch
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root
from tests.client import Client
from tests.downloads.clicknload import collected
from tests.downloads.conftest import logged_in
from tests.downloads.test_extraction_talk import until

pytestmark = pytest.mark.anyio

LINK = "https://files.example/one.rar"


@pytest.fixture
def dropped(tmp_path: Path) -> Path:
    folder = tmp_path / "dropped"
    folder.mkdir()
    return folder


@pytest.fixture
def watch(ada: Client, dropped: Path) -> Watch:
    return watch_of(ada, dropped)


def watch_of(client: Client, dropped: Path) -> Watch:
    containers = client.started.built.dependencies["containers"]
    assert isinstance(containers, Containers)
    return Watch(Root(dropped), containers, client.started.kernel.db)


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_a_file_is_read_when_it_no_longer_grows(
    ada: Client, watch: Watch, dropped: Path
) -> None:
    (dropped / "List.txt").write_text(LINK)
    await watch.look()
    assert await collected(ada) == []
    (dropped / "List.txt").write_text(f"{LINK}\n{LINK}2")
    await watch.look()
    assert await collected(ada) == []
    await watch.look()
    assert await collected(ada) == [("List", [LINK, f"{LINK}2"])]
    assert names(dropped) == ["done/List.txt"]
    await watch.look()
    assert len(await collected(ada)) == 1


async def test_what_cannot_be_read_is_put_aside(ada: Client, watch: Watch, dropped: Path) -> None:
    (dropped / "bad.rsdf").write_bytes(b"no")
    (dropped / "large.txt").write_bytes(b"x" * (LARGEST_FILE + 1))
    (dropped / "good.txt").write_text(LINK)
    for _ in range(2):
        await watch.look()
    assert names(dropped) == ["done/good.txt", "failed/bad.rsdf", "failed/large.txt"]
    assert await collected(ada) == [("good", [LINK])]


async def test_a_name_may_come_again(ada: Client, watch: Watch, dropped: Path) -> None:
    for _ in range(2):
        (dropped / "List.txt").write_text(LINK)
        for _ in range(2):
            await watch.look()
    assert names(dropped) == ["done/List (1).txt", "done/List.txt"]
    assert len(await collected(ada)) == 2


async def test_what_is_not_meant_stays(ada: Client, watch: Watch, dropped: Path) -> None:
    (dropped / "secret.txt").write_text(LINK)
    (dropped / "link.txt").symlink_to(dropped.parent / "elsewhere.txt")
    (dropped.parent / "elsewhere.txt").write_text(LINK)
    (dropped / ".hidden.txt").write_text(LINK)
    (dropped / "x.txt.part").write_text(LINK)
    (dropped / "secret.txt").unlink()
    for _ in range(3):
        await watch.look()
    assert names(dropped) == [".hidden.txt", "link.txt", "x.txt.part"]
    assert await collected(ada) == []


async def test_a_file_that_cannot_be_moved_is_read_once(
    ada: Client, watch: Watch, dropped: Path
) -> None:
    # Where the folder should be, there is a file.
    (dropped / "done").write_text("in the way")
    (dropped / "List.txt").write_text(LINK)
    for _ in range(4):
        try:
            await watch.look()
        except Exception as error:  # noqa: BLE001 - the supervisor shows it
            assert "not_a_folder" in str(error) or "already_exists" in str(error)
    assert await collected(ada) == [("List", [LINK])]


async def test_the_folder_of_a_running_service_is_watched(tmp_path: Path) -> None:
    (tmp_path / "watch").mkdir()
    (tmp_path / "watch/List.txt").write_text(LINK)
    async with logged_in(tmp_path) as ada:

        async def added() -> bool:
            return bool(await collected(ada))

        ada.started.kernel.supervisor.run_now("watched-folder")
        await until(ada, added)


async def test_a_file_that_was_read_before_the_end_is_only_moved(
    ada: Client, watch: Watch, dropped: Path
) -> None:
    """Hostile case 12: the process ends when the links are in the list and the file is there."""
    (dropped / "list.txt").write_text(LINK)
    (dropped / "done").symlink_to("nowhere")
    await watch.look()
    with pytest.raises(AppError):
        await watch.look()
    assert len(await collected(ada)) == 1
    (dropped / "done").unlink()
    next_watch = watch_of(ada, dropped)
    await next_watch.look()
    await next_watch.look()
    assert names(dropped) == ["done/list.txt"]
    assert len(await collected(ada)) == 1
    # The same file again, on purpose.
    (dropped / "done" / "list.txt").rename(dropped / "list.txt")
    for _ in range(3):
        await next_watch.look()
    assert len(await collected(ada)) == 2
