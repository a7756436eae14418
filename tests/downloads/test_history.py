"""The history of finished downloads and its statistics."""

from datetime import date
from typing import Any

import pytest

from quartet.downloads.history import days, store
from quartet.downloads.history.service import HistoryService
from quartet.kernel.clock import now_ms
from tests.client import Client
from tests.downloads.api_calls import act, add, until_all
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio


async def history(client: Client, **query: Any) -> dict[str, Any]:
    answer = await client.get("/api/history", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def fill(client: Client, count: int, host: str = "files.example") -> None:
    """Write entries of today directly to the database."""
    row = "(finished_at, name, host, url, size, package_name)"
    values = f"({now_ms()}, 'n' || value, '{host}', 'http://x/' || value, 10, 'Box')"
    series = (
        f"WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value+1 FROM s WHERE value<{count})"
    )
    query = f"{series} INSERT INTO history {row} SELECT {values[1:-1]} FROM s"
    db = client.started.kernel.db
    await db.write(lambda tx: tx.conn.exec_driver_sql(query.replace("WITH", "WITH", 1)))


async def test_finished_downloads_stay_when_the_queue_is_cleared(
    ada: Client, server: FileServer
) -> None:
    await add(ada, server.put("a.bin", b"x" * 70), server.put("b.bin", b"y"), start=True)
    await until_all(ada, "finished")
    await act(ada, "/api/downloads/clear-finished")
    found = (await history(ada))["entries"]
    assert {(each["name"], each["size"], each["host"]) for each in found} == {
        ("a.bin", 70, "127.0.0.1"),
        ("b.bin", 1, "127.0.0.1"),
    }
    assert found[0]["file"].endswith(found[0]["name"])
    stats = (await ada.get("/api/history/stats", params={"by": "month", "count": 3})).json()
    assert (stats["files"], stats["bytes"]) == (2, 71)
    assert [each["files"] for each in stats["periods"]] == [0, 0, 2]
    assert stats["hosts"] == [{"host": "127.0.0.1", "files": 2, "bytes": 71}]


async def test_history_is_paged_and_searched(ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(ada, 250)
    first = await history(ada, limit=100)
    second = await history(ada, limit=100, before=first["next"])
    third = await history(ada, limit=100, before=second["next"])
    names = [each["name"] for page in (first, second, third) for each in page["entries"]]
    assert names == [f"n{number}" for number in range(250, 0, -1)]
    assert third["next"] is None
    assert [each["name"] for each in (await history(ada, q="N249"))["entries"]] == ["n249"]
    # A search that has read enough says where it continues.
    monkeypatch.setattr(store, "MOST_SEARCHED", 100)
    names, before = [], None
    for _ in range(3):
        page = await history(ada, q="n1", **({"before": before} if before else {}))
        names += [each["name"] for each in page["entries"]]
        before = page["next"]
    assert before is None
    assert len(names) == len({*names}) == 111


async def test_old_entries_are_deleted(ada: Client, server: FileServer) -> None:
    await fill(ada, 10)
    old = now_ms() - 11 * 86_400_000
    db = ada.started.kernel.db
    await db.write(
        lambda tx: tx.conn.exec_driver_sql(f"UPDATE history SET finished_at = {old} WHERE id < 5")
    )
    await ada.put("/api/settings", json={"historyDays": 10})
    await HistoryService(ada.started.kernel).delete_old()
    assert len((await history(ada))["entries"]) == 6
    await act(ada, "/api/history", "DELETE")
    assert (await history(ada))["entries"] == []
    await ada.put("/api/settings", json={"historyDays": 0})
    await add(ada, server.put("a.bin", b"x"), start=True)
    await until_all(ada, "finished")
    assert (await history(ada))["entries"] == []


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("sftp://ada:s3c@ret@host.example:22/a:b@c", "sftp://ada@host.example:22/a:b@c"),
        ("ftp://ada@host.example/file", "ftp://ada@host.example/file"),
        ("https://host.example:8443/a@b:c", "https://host.example:8443/a@b:c"),
        ("https://host.example?a=b:c@d", "https://host.example?a=b:c@d"),
        ("magnet:?xt=urn:btih:ab&tr=udp://t:80", "magnet:?xt=urn:btih:ab&tr=udp://t:80"),
    ],
)
def test_password_of_an_address_is_not_kept(url: str, kept: str) -> None:
    assert store.without_password(url) == kept


def test_periods_start_on_mondays_and_first_days() -> None:
    # 2 January 2026 is a Friday.
    day = date(2026, 1, 2)
    assert [each.isoformat() for each in days.starts(day, "week", 2)] == [
        "2025-12-22",
        "2025-12-29",
    ]
    assert [each.isoformat() for each in days.starts(day, "month", 2)] == [
        "2025-12-01",
        "2026-01-01",
    ]
    assert days.date_of(days.number_of(day)) == day
