"""Rules for new links: conditions, actions, trying and applying them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.packages.store import auto_extract
from quartet.downloads.rules.matching import file_type, matching
from quartet.downloads.rules.types import Conditions, RuleLink
from quartet.kernel.user_patterns import UserPatterns
from tests.client import Client
from tests.downloads.api_calls import add, packages, until_all
from tests.downloads.conftest import logged_in
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

LINK = RuleLink(
    1, 1, "cdn.host.example", "Show.S01E01.mkv", 500, "Shows", "cnl", "https://p.example/x"
)


def rule(conditions: dict[str, Any], **actions: Any) -> dict[str, Any]:
    return {"conditions": conditions, "actions": actions}


async def save(client: Client, *rules: dict[str, Any]) -> None:
    answer = await client.put("/api/rules", json={"rules": rules})
    assert answer.status_code == 204, answer.text


async def collected(client: Client) -> dict[str, list[str]]:
    return {
        each["name"]: [one["name"] for one in each["downloads"]]
        for each in await packages(client, "collector")
    }


async def until_ruled(client: Client) -> None:
    """Wait until the rules have been applied to all packages."""
    query = "SELECT count(*) FROM packages WHERE NOT ruled"
    db = client.started.kernel.db
    async with asyncio.timeout(60):
        while await db.read(lambda conn: conn.exec_driver_sql(query).scalar_one()):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("conditions", "wanted"),
    [
        (Conditions(), True),
        (Conditions(hosts="other.example, HOST.example"), True),
        (Conditions(hosts="ost.example"), False),
        (Conditions(name=r"s\d+e\d+"), True),
        (Conditions(name="^E01"), False),
        (Conditions(package="shows$"), True),
        (Conditions(source="^cnl"), True),
        (Conditions(source=r"p\.example"), True),
        (Conditions(min_size=500, max_size=500), True),
        (Conditions(min_size=501), False),
        (Conditions(max_size=499), False),
        (Conditions(types=["audio", "video"]), True),
        (Conditions(types=["archive"]), False),
        (Conditions(types=["video"], name="nothing"), False),
    ],
)
def test_link_meets_conditions(conditions: Conditions, wanted: bool) -> None:
    patterns = UserPatterns()
    try:
        assert bool(matching(conditions, [LINK], patterns)) is wanted
    finally:
        patterns.close()


def test_link_of_unknown_size_meets_no_size() -> None:
    unknown = LINK._replace(size=None)
    assert matching(Conditions(max_size=10**9), [unknown], UserPatterns()) == []


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("a.part01.RAR", "archive"), ("a.r07", "archive"), ("a.7z.001", "archive"), ("a", None)],
)
def test_file_type_follows_ending(name: str, wanted: str | None) -> None:
    assert file_type(name) == wanted


async def test_rules_survive_restart_and_are_encrypted(tmp_path: Path) -> None:
    given = rule({"name": "x"}, password="a secret word", priority=2)
    async with logged_in(tmp_path) as client:
        await save(client, given)
    async with logged_in(tmp_path) as client:
        [kept] = (await client.get("/api/rules")).json()["rules"]
        assert kept["conditions"]["name"] == "x"
        assert (kept["actions"]["password"], kept["actions"]["priority"]) == ("a secret word", 2)
        query = "SELECT value FROM rules"
        db = client.started.kernel.db
        stored = await db.read(lambda conn: conn.exec_driver_sql(query).scalar_one())
    assert "secret" not in str(stored)


async def test_invalid_pattern_is_refused(ada: Client) -> None:
    given = rule({"name": "("}, skip=True)
    refusal = (400, "pattern_invalid")
    assert await ada.code("PUT", "/api/rules", json={"rules": [given]}) == refusal
    assert await ada.code("POST", "/api/rules/try", json=given) == refusal
    too_long = rule({"name": "a" * 1001}, skip=True)
    assert await ada.code("POST", "/api/rules/try", json=too_long) == (400, "invalid_request")


async def test_slow_pattern_is_stopped(ada: Client) -> None:
    await add(ada, f"http://host.invalid/{'a' * 200}b")
    given = rule({"name": "(a|aa)+$"}, skip=True)
    assert await ada.code("POST", "/api/rules/try", json=given) == (400, "pattern_too_slow")


async def test_rule_is_tried_without_changes(ada: Client) -> None:
    await add(ada, "http://host.invalid/film.mkv", "http://host.invalid/note.txt")
    answer = await ada.post("/api/rules/try", json=rule({"types": ["video"]}, skip=True))
    [package] = await packages(ada, "collector")
    film = next(each["id"] for each in package["downloads"] if each["name"] == "film.mkv")
    assert answer.json() == {"ids": [film]}
    assert len(package["downloads"]) == 2


async def test_rules_are_applied_to_checked_links(ada: Client, server: FileServer) -> None:
    await save(
        ada,
        rule({"types": ["video"]}, packageName="Films", folder="media/films", priority=1),
        rule({"name": "sample"}, skip=True),
        rule({"name": "film"}, password="open", extract=False, priority=2),
        {**rule({}, skip=True), "enabled": False},
    )
    for name in ("film.mkv", "film-sample.mkv", "notes.pdf"):
        server.put(name, b"x" * 100)
    await add(ada, *(server.url(n) for n in ("film.mkv", "film-sample.mkv", "notes.pdf")))
    await until_ruled(ada)
    assert sorted((await collected(ada)).values()) == [["film.mkv"], ["notes.pdf"]]
    films = next(each for each in await packages(ada, "collector") if each["name"] == "Films")
    assert (films["targetDir"], films["hasPasswords"]) == ("media/films", True)
    assert films["downloads"][0]["priority"] == 2
    stored = await ada.started.kernel.db.read(auto_extract, films["id"])
    assert stored is False
    # Links that come later join the package; changes of the user are not overwritten.
    server.put("second.mkv", b"x" * 100)
    await add(ada, server.url("second.mkv"))
    await until_ruled(ada)
    assert (await collected(ada))["Films"] == ["film.mkv", "second.mkv"]


async def test_rule_starts_matching_links(ada: Client, server: FileServer) -> None:
    await save(ada, rule({"hosts": "127.0.0.1", "name": "wanted"}, start=True))
    server.put("wanted.bin", b"x" * 100)
    server.put("other.bin", b"x" * 100)
    await add(ada, server.url("wanted.bin"), server.url("other.bin"))
    await until_all(ada, "finished", "collected")
    async with asyncio.timeout(60):
        while not await packages(ada, "queue"):
            await asyncio.sleep(0.02)
    [queued] = await packages(ada, "queue")
    assert [each["name"] for each in queued["downloads"]] == ["wanted.bin"]
