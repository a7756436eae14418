"""The gear list and gear recommendations."""

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.gear.rig import range_of, rideable_ranges, rig_wind, what_to_rig
from quartet.wind.gear.types import GearItem, Kind
from tests.client import Client
from tests.wind.quiet import quiet
from tests.wind.signed_in_users import signed_in_user

SAIL = {"kind": "sail", "name": "Wave 4.7", "size": 4.7, "unit": "m²"}

knots = st.floats(0, 100)
kinds: st.SearchStrategy[Kind] = st.sampled_from(("kite", "sail", "wing", "board", "foil", "other"))


@st.composite
def gear_items(draw: st.DrawFn) -> GearItem:
    ends = sorted([draw(knots), draw(knots)])
    low, high = (draw(st.sampled_from((None, end))) for end in ends)
    return GearItem(draw(kinds), "", draw(st.floats(0.1, 1000)), "", low, high)


def sail(size: float) -> GearItem:
    return GearItem("sail", f"{size}", size, "m²")


@given(st.lists(gear_items(), max_size=30), knots, st.one_of(st.none(), knots))
def test_fitting_gear_is_recommended_best_first(
    items: list[GearItem], wind: float, gust: float | None
) -> None:
    found = what_to_rig(items, wind, gust)
    offs = []
    for item in items:
        usable = range_of(item)
        fits = usable is not None and wind >= usable.low and rig_wind(wind, gust) <= usable.high
        assert (item in found) == fits
    for item in found:
        usable = range_of(item)
        assert usable is not None
        middle = (usable.low + usable.high) / 2
        offs.append(abs(rig_wind(wind, gust) - middle) / max(usable.high - middle, 1e-9))
    assert all(a <= b + 1e-6 for a, b in pairwise(offs))


@given(gear_items())
def test_range_keeps_explicit_limits(item: GearItem) -> None:
    usable = range_of(item)
    if usable is None:
        assert item.kind in ("board", "foil", "other")
        return
    assert usable.low <= usable.high
    assert item.wind_min is None or usable.low == item.wind_min
    assert item.wind_max is None or usable.high == item.wind_max


@given(st.lists(gear_items(), max_size=30), knots, knots)
def test_wind_is_rideable_if_some_gear_fits(
    items: list[GearItem], wind: float, gust: float
) -> None:
    ranges = rideable_ranges(items)
    pulls = [item for item in items if item.kind in ("kite", "sail", "wing")]
    there_is = any(each.low <= wind and rig_wind(wind, gust) <= each.high for each in ranges)
    assert there_is == bool(what_to_rig(pulls or items, wind, gust))


@given(st.floats(8, 32))
def test_usual_quiver_covers_usual_wind(wind: float) -> None:
    quiver = [sail(size) for size in (3.7, 4.5, 5.3, 6.4, 7.8, 9.5, 11.0)]
    assert what_to_rig(quiver, wind, wind * 1.2)


@given(st.floats(1, 20), st.floats(1, 20))
def test_bigger_sail_is_for_lighter_wind(small: float, big: float) -> None:
    small, big = sorted((small, big))
    one, other = range_of(sail(small)), range_of(sail(big))
    assert one is not None and other is not None
    assert one.low >= other.low and one.high >= other.high


def test_recommended_sizes_match_practice() -> None:
    quiver = [sail(4.7), sail(5.7), sail(7.0)]
    assert what_to_rig(quiver, 15, 18)[0].size == 7.0
    assert what_to_rig(quiver, 21, 25)[0].size == 4.7
    assert what_to_rig(quiver, 6, 8) == []
    # Gusty wind calls for smaller gear, or none.
    assert what_to_rig([sail(7.0)], 18, None) and not what_to_rig([sail(7.0)], 18, 36)
    board = GearItem("board", "Freeride", 105, "l")
    assert what_to_rig([board, sail(5.7)], 18, 22) == [sail(5.7)]


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[Client]:
    async with quiet(tmp_path) as client:
        yield client


def gear(count: int = 1, **changes: Any) -> dict[str, Any]:
    return {"items": [{**SAIL, **changes}] * count}


@pytest.mark.anyio
async def test_list_is_replaced_as_a_whole_per_user(site: Client) -> None:
    anna, ben = await signed_in_user(site), await signed_in_user(site, "Ben")
    assert (await anna.browser.get("/api/gear")).json() == {"items": []}
    items = [
        SAIL,
        {"kind": "kite", "name": "", "size": 9, "unit": "m²", "windMin": 16, "windMax": 28},
    ]
    kept = await anna.browser.put("/api/gear", json={"items": items})
    assert kept.status_code == 200
    assert (await anna.browser.get("/api/gear")).json() == {"items": items} == kept.json()
    assert (await ben.browser.get("/api/gear")).json() == {"items": []}
    assert (await anna.browser.put("/api/gear", json={"items": []})).json() == {"items": []}


@pytest.mark.anyio
async def test_more_than_thirty_pieces_are_rejected(site: Client) -> None:
    browser = (await signed_in_user(site)).browser
    assert (await browser.put("/api/gear", json=gear(30))).status_code == 200
    assert await browser.code("PUT", "/api/gear", json=gear(31)) == (422, "too_many_gear")
    assert len((await browser.get("/api/gear")).json()["items"]) == 30


@pytest.mark.anyio
async def test_invalid_gear_is_rejected(site: Client) -> None:
    browser = (await signed_in_user(site)).browser
    wrong: list[dict[str, Any]] = [
        {"kind": "boat"},
        {"size": 0},
        {"size": -1},
        {"size": 1001},
        {"size": "nan"},
        {"size": "inf"},
        {"windMin": -1},
        {"windMin": "nan"},
        {"windMax": 101},
        {"name": None},
    ]
    for changes in wrong:
        code = await browser.code("PUT", "/api/gear", json=gear(**changes))
        assert code == (400, "invalid_request"), changes
    wrong = [{"name": "\u202e"}, {"name": "x" * 81}, {"unit": "a\0"}, {"unit": "x" * 9}]
    for changes in wrong:
        code = await browser.code("PUT", "/api/gear", json=gear(**changes))
        assert code == (400, "invalid_name"), changes
    code = await browser.code("PUT", "/api/gear", json=gear(windMin=20, windMax=10))
    assert code == (400, "invalid_wind_range")
    assert (await browser.get("/api/gear")).json() == {"items": []}
