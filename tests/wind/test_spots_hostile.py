"""Access to other users' spots, and malformed requests."""

from typing import Any

import pytest

from tests.client import Client
from tests.wind.signed_in_users import SignedInUser, signed_in_user

PLACE: dict[str, Any] = {"lat": 54.4, "lon": 10.2}
JSON = {"content-type": "application/json"}


async def add(person: SignedInUser, name: str) -> int:
    answer = await person.browser.post("/api/favorites", json={"name": name, **PLACE})
    number: int = answer.json()["id"]
    return number


async def listed(person: SignedInUser) -> list[dict[str, Any]]:
    favorites: list[dict[str, Any]] = (await person.browser.get("/api/favorites")).json()[
        "favorites"
    ]
    return favorites


@pytest.mark.anyio
async def test_spot_of_another_user_is_not_found(site: Client, anna: SignedInUser) -> None:
    mallory = await signed_in_user(site, "Mallory")
    spot = await add(anna, "Laboe")
    before = await listed(anna)
    path = f"/api/favorites/{spot}"
    assert await mallory.browser.code("PUT", path, json={"name": "Mine"}) == (404, "not_found")
    assert await mallory.browser.code("PUT", path, json={"name": "\0"}) == (404, "not_found")
    assert await mallory.browser.code("DELETE", path) == (404, "not_found")
    assert await listed(mallory) == [] and await listed(anna) == before


@pytest.mark.anyio
async def test_unknown_spot_ids_are_not_found(anna: SignedInUser) -> None:
    for number in ("0", "-1", str(2**63), "9" * 400, "1.5", "x", "%00"):
        for method, body in (("PUT", {"name": "x"}), ("DELETE", None)):
            answer = await anna.browser.request(method, f"/api/favorites/{number}", json=body)
            assert answer.status_code in (404, 405), answer.text


@pytest.mark.anyio
async def test_order_must_contain_all_spots(site: Client, anna: SignedInUser) -> None:
    mallory = await signed_in_user(site, "Mallory")
    foreign = await add(mallory, "Fehmarn")
    a, b, c = [await add(anna, name) for name in ("A", "B", "C")]
    before = await listed(anna)
    for ids in ([], [b, a], [c, b, a, a], [c, b, b], [c, b, foreign], [c, b, a, foreign],
                [c, b, 2**70], [a, b, -c]):  # fmt: skip
        code = await anna.browser.code("PUT", "/api/favorites/order", json={"ids": ids})
        assert code in ((400, "invalid_order"), (400, "invalid_request"))
    for wrong in (None, "abc", {"0": a}, ["a", "b", "c"]):
        code = await anna.browser.code("PUT", "/api/favorites/order", json={"ids": wrong})
        assert code == (400, "invalid_request")
    assert await listed(anna) == before
    assert (await listed(mallory))[0]["position"] == 0


UNSEEN = [
    "",
    "   ",
    "a\0b",
    "a\x1bb",
    "\u202egro.live",
    "a\u2066b",
    "\u200f",
    "\ufeff",
    "x" * 81,
    "x" * 100_000,
]


@pytest.mark.anyio
async def test_unprintable_names_are_rejected(anna: SignedInUser) -> None:
    for name in UNSEEN:
        body = {"name": name, **PLACE}
        assert await anna.browser.code("POST", "/api/favorites", json=body) == (400, "invalid_name")
    assert await listed(anna) == []


@pytest.mark.anyio
async def test_names_in_any_script_are_kept(anna: SignedInUser) -> None:
    names = ["שפיים", "شاطئ", "🏄‍♂️ Laboe", "__proto__", "Łeba", "x" * 80]
    for name in names:
        await add(anna, name)
    assert [each["name"] for each in await listed(anna)] == names


BODIES = [
    b'{"name": "\\ud800", "lat": 1, "lon": 1}',
    b'{"name": "\xed\xa0\x80", "lat": 1, "lon": 1}',
    b'{"name": "\xff", "lat": 1, "lon": 1}',
    b'{"name": "a", "lat": NaN, "lon": 1}',
    b'{"name": "a", "lat": 1e309, "lon": 1}',
    b'{"name": "a", "lat": 91, "lon": 1}',
    b'{"name": "a", "lat": 1, "lon": -180.005}',
    b'{"name": "a", "lat": "nan", "lon": 1}',
    b'{"name": ["a"], "lat": 1, "lon": 1}',
    b'{"name": "a", "lat": 1, "lon": 1, "directions": [{"from": -1, "to": 2}]}',
    b'{"name": "a", "lat": 1, "lon": 1, "directions": [{"from": 1, "to": 361}]}',
    b'{"name": "a", "lat": 1, "lon": 1, "directions": ['
    + b",".join([b'{"from": 1, "to": 2}'] * 17)
    + b"]}",
    b'{"name": "a", "lat": 1, "lon": 1, "station": "a\\u0000"}',
    b'{"name": "a", "lat": 1}',
    b"[]",
    b"null",
    b"",
    b"{",
    b"[" * 10**6 + b"]" * 10**6,
    b'{"name":' + b'{"a":' * 10**6 + b"1" + b"}" * 10**6 + b"}",
    b'{"x":' + b"[" * 10**6 + b"]" * 10**6 + b"}",
]


@pytest.mark.anyio
async def test_malformed_bodies_are_rejected(anna: SignedInUser) -> None:
    for body in BODIES:
        answer = await anna.browser.post("/api/favorites", content=body, headers=JSON)
        assert answer.status_code == 400, (body[:80], answer.text)
        assert set(answer.json()) <= {"code", "inputs"}
    assert await listed(anna) == []


@pytest.mark.anyio
async def test_duplicate_and_unknown_keys_in_body(anna: SignedInUser) -> None:
    body = (
        b'{"name": "first", "name": "last", "lat": 54.4, "lon": 10.2, "id": 7, "position": 99,'
        b' "user_id": 1, "__proto__": {"admin": true}, "constructor": {}}'
    )
    answer = await anna.browser.post("/api/favorites", content=body, headers=JSON)
    assert (answer.json()["name"], answer.json()["position"]) == ("last", 0)
    assert "__proto__" not in answer.json()


@pytest.mark.anyio
async def test_body_above_size_limit_is_rejected(anna: SignedInUser) -> None:
    for method, path in (
        ("POST", "/api/favorites"),
        ("PUT", "/api/favorites/order"),
        ("PUT", "/api/gear"),
        ("POST", "/api/push/subscriptions"),
    ):
        body = b'{"name": "' + b"x" * 8 * 1024 * 1024 + b'"}'
        answer = await anna.browser.request(method, path, content=body, headers=JSON)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.anyio
async def test_cross_site_form_is_rejected(anna: SignedInUser) -> None:
    text = {"content-type": "text/plain"}
    answer = await anna.browser.post("/api/favorites", content=b'{"name":"x"}', headers=text)
    assert answer.json()["code"] == "wrong_content_type"
    foreign = {**JSON, "origin": "https://elsewhere.example"}
    answer = await anna.browser.post("/api/favorites", content=b"{}", headers=foreign)
    assert answer.json()["code"] == "unauthorized_origin"
