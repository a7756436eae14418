"""Finished downloads leave the list, and their archives are unpacked all the same."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.archives.making import FILES, seven_zip, tree
from tests.downloads.server import FileServer
from tests.downloads.talk import act, add, downloads, packages, until
from tests.downloads.test_captchas_archives import answer, question
from tests.downloads.test_extraction_talk import below, offer, until_extract

pytestmark = pytest.mark.anyio


async def test_what_is_being_unpacked_stays(
    ada: Client, server: FileServer, making: Path, tmp_path: Path
) -> None:
    seven_zip(making, "set.7z", "-psecret", "-mhe=on")
    archive = {path.name: path.read_bytes() for path in making.iterdir()}
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    asked = await question(ada)
    await act(ada, "/api/downloads/clear-finished")
    await answer(ada, asked, "secret")
    await until_extract(ada, id, "done")
    assert tree(tmp_path / "done") == below({**FILES, **archive}, "P")
    await act(ada, "/api/downloads/clear-finished")
    assert await packages(ada) == []


@pytest.mark.parametrize("last", [0, -1])
async def test_parts_that_have_left_the_list_are_parts_still(
    ada: Client, server: FileServer, making: Path, tmp_path: Path, last: int
) -> None:
    seven_zip(making, "set.7z", "-v20k")
    parts = {path.name: path.read_bytes() for path in making.iterdir()}
    late = sorted(parts)[last]
    server.refusals[late] = [503] * 20
    id = await add(ada, *offer(server, making), packageName="P", start=True)
    await until(ada, lambda all: sum(each["status"] != "finished" for each in all) == 1)
    await act(ada, "/api/downloads/clear-finished")
    assert [each["name"] for each in await downloads(ada)] == [late]
    server.refusals.clear()
    for verb in ("pause", "resume"):
        await act(ada, f"/api/packages/{id}/{verb}")
    await until_extract(ada, id, "done")
    assert tree(tmp_path / "done") == below({**FILES, **parts}, "P")
