"""Which section of the queue downloads and packages are in."""

import asyncio

import pytest

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.captchas.types import Question
from quartet.downloads.packages.sections import Section, package_section
from tests.client import Client
from tests.downloads.api_calls import act, add, mark, one

pytestmark = pytest.mark.anyio

# Reserved names that never resolve, so nothing is downloaded.
A, B = (f"http://host.invalid/{name}.bin" for name in "ab")


async def sections(client: Client) -> tuple[Section, list[Section]]:
    """Return the section of the only package and those of its downloads."""
    package = await one(client, "queue")
    # Lists of some packages must not disagree with the whole list.
    ids = {"ids": package["id"]}
    [same] = (await client.get("/api/packages", params=ids)).json()["packages"]
    assert same["section"] == package["section"]
    return package["section"], [each["section"] for each in package["downloads"]]


async def paused_package(client: Client) -> int:
    package = await add(client, A, B)
    await act(client, "/api/downloads/pause-all")
    await act(client, f"/api/packages/{package}/start")
    await act(client, f"/api/packages/{package}/pause")
    await mark(client, "status = 'paused', error = NULL", "1 = 1")
    return package


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ("status = 'paused'", ("waiting", "waiting")),
        ("status = 'finished'", ("waiting", "finished")),
        ("status = 'failed'", ("waiting", "failed")),
        # The download was stopped by a problem that the user has to solve.
        ("""error = '{"code": "disk_full", "inputs": {}}'""", ("attention", "attention")),
        ("status = 'finished', hash_ok = 0", ("waiting", "failed")),
        # A link that was offline at the start of its package.
        ("status = 'collected', online = 'offline'", ("waiting", "failed")),
    ],
)
async def test_section_follows_status(
    ada: Client, change: str, wanted: tuple[Section, Section]
) -> None:
    await paused_package(ada)
    await mark(ada, change, f"url = '{A}'")
    of_package, of_downloads = await sections(ada)
    assert (of_package, of_downloads) == (wanted[0], [wanted[1], "waiting"])


async def test_package_with_open_question_needs_attention_until_the_answer(ada: Client) -> None:
    package = await paused_package(ada)
    await mark(ada, "status = 'finished'", "1 = 1")
    assert (await sections(ada))[0] == "finished"
    captchas = ada.started.built.dependencies["captchas"]
    assert isinstance(captchas, Captchas)
    asked = asyncio.create_task(
        captchas.ask(Question(kind="archivePassword", package_id=package, name="a.rar"))
    )
    await until_asked(captchas)
    assert (await sections(ada))[0] == "attention"
    captchas.cancel(captchas.waiting()[0].id)
    await asyncio.gather(asked, return_exceptions=True)
    assert (await sections(ada))[0] == "finished"


async def test_download_with_captcha_needs_attention_and_open_pages_learn_it(ada: Client) -> None:
    await paused_package(ada)
    captchas = ada.started.built.dependencies["captchas"]
    assert isinstance(captchas, Captchas)
    async with ada.started.kernel.events.subscribe() as events:
        asked = asyncio.create_task(captchas.ask(Question(kind="image", link=B)))
        await until_asked(captchas)
        assert await sections(ada) == ("attention", ["waiting", "attention"])
        async for frame in events:
            if b'"downloads":[' in frame.data:
                break
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    assert await sections(ada) == ("waiting", ["waiting", "waiting"])


async def test_package_is_not_finished_while_its_password_is_missing(ada: Client) -> None:
    package = await paused_package(ada)
    await mark(ada, "status = 'finished'", "1 = 1")
    error = """{"code": "wrong_password", "inputs": {"archive": "a.rar"}}"""
    query = (
        f"UPDATE packages SET extract = 'failed', extract_error = '{error}' WHERE id = {package}"
    )
    await ada.started.kernel.db.write(lambda tx: tx.conn.exec_driver_sql(query))
    assert (await sections(ada))[0] == "attention"


@pytest.mark.parametrize(
    ("downloads", "extract", "wanted"),
    [
        (["finished"], None, "finished"),
        (["finished"], "done", "finished"),
        (["finished"], "pending", "waiting"),
        (["finished"], "running", "active"),
        (["finished"], "failed", "failed"),
        (["finished", "failed"], None, "failed"),
        (["failed", "waiting"], None, "waiting"),
        (["failed", "waiting", "active"], None, "active"),
    ],
)
def test_package_section_is_the_most_urgent_one(
    downloads: list[Section], extract: str | None, wanted: Section
) -> None:
    found = package_section(
        downloads, extract=extract, needs_password=False, moving=False, asks=False
    )
    assert found == wanted


async def until_asked(captchas: Captchas) -> None:
    async with asyncio.timeout(30):
        while not captchas.asking().packages:
            await asyncio.sleep(0.01)
