"""Packages with encrypted archives."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add
from tests.downloads.archives.make_archives import FILES, seven_zip, tree
from tests.downloads.extraction_helpers import below, offer, passwords, setting, until_extract
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def test_working_password_is_tried_first_next_time(
    ada: Client, server: FileServer, making: Path
) -> None:
    listed = ["wrong", "right -p@ \"'"]
    await ada.put("/api/settings/archive-passwords", json={"passwords": listed})
    seven_zip(making, "set.7z", f"-p{listed[1]}", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="Pack", start=True)
    await until_extract(ada, id, "done")
    assert await passwords(ada) == [listed[1], "wrong"]


async def test_package_passwords_are_tried_first_and_remembered(
    ada: Client, server: FileServer, making: Path
) -> None:
    await ada.put("/api/settings/archive-passwords", json={"passwords": ["old"]})
    seven_zip(making, "set.7z", "-pmine", "-mhe=on")
    id = await add(ada, *offer(server, making), password="mine", packageName="P", start=True)
    await until_extract(ada, id, "done")
    assert await passwords(ada) == ["mine", "old"]


async def test_archive_name_is_tried_as_password(
    ada: Client, server: FileServer, making: Path
) -> None:
    seven_zip(making, "my.set.7z", "-pmy.set", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    await until_extract(ada, id, "done")
    assert await passwords(ada) == []


async def test_extraction_fails_until_password_is_given(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    await setting(ada, deleteArchives=True, askArchivePassword=False)
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    package = await until_extract(ada, id, "failed")
    assert package["extractError"] == {
        "code": "wrong_password",
        "inputs": {"archive": "set.7z", "tried": 1},
    }
    assert list(tree(tmp_path / "done")) == ["P/set.7z"]
    await act(ada, f"/api/packages/{id}", "PATCH", json={"passwords": ["no", "secret"]})
    await act(ada, f"/api/packages/{id}/extract")
    await until_extract(ada, id, "done")
    assert tree(tmp_path / "done") == below(FILES, "P")
