"""Archives of finished downloads that were removed from the queue are still extracted."""

from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, downloads, packages, until
from tests.downloads.archives.make_archives import FILES, seven_zip, tree
from tests.downloads.extraction_helpers import below, offer, until_extract
from tests.downloads.server import FileServer
from tests.downloads.test_captchas_archives import answer, question

pytestmark = pytest.mark.anyio


async def test_downloads_waiting_for_extraction_are_not_cleared(
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
async def test_cleared_volumes_still_belong_to_archive(
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
