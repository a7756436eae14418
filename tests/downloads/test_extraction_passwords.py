"""Packages whose archives are locked."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.archives.making import FILES, seven_zip, tree
from tests.downloads.server import FileServer
from tests.downloads.talk import act, add
from tests.downloads.test_extraction_talk import below, offer, passwords, setting, until_extract

pytestmark = pytest.mark.anyio


async def test_the_password_that_worked_comes_first_next_time(
    ada: Client, server: FileServer, making: Path
) -> None:
    listed = ["wrong", "right -p@ \"'"]
    await ada.put("/api/settings/archive-passwords", json={"passwords": listed})
    seven_zip(making, "set.7z", f"-p{listed[1]}", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="Pack", start=True)
    await until_extract(ada, id, "done")
    assert await passwords(ada) == [listed[1], "wrong"]


async def test_the_passwords_of_a_package_come_first_and_are_learnt(
    ada: Client, server: FileServer, making: Path
) -> None:
    await ada.put("/api/settings/archive-passwords", json={"passwords": ["old"]})
    seven_zip(making, "set.7z", "-pmine", "-mhe=on")
    id = await add(ada, *offer(server, making), password="mine", packageName="P", start=True)
    await until_extract(ada, id, "done")
    assert await passwords(ada) == ["mine", "old"]


async def test_the_name_of_an_archive_may_be_its_password(
    ada: Client, server: FileServer, making: Path
) -> None:
    seven_zip(making, "my.set.7z", "-pmy.set", "-mhe=on")
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    await until_extract(ada, id, "done")
    assert await passwords(ada) == []


async def test_without_the_password_it_fails_until_it_is_given(
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
