"""The declarations of the models, and their indexes."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.models.catalogue import MODELS
from quartet.wind.models.ecmwf import upstream as ecmwf
from quartet.wind.models.ecmwf.models import AIFS, ECMWF
from quartet.wind.models.gfs import upstream as gfs
from quartet.wind.models.gfs.models import GFS
from quartet.wind.models.icon.models import AICON, ICON, ICON_D2, ICON_D2_RUC, ICON_EU, ICON_EU_EPS
from quartet.wind.models.meteofrance.models import AROME, ARPEGE
from quartet.wind.models.refused import Refused
from quartet.wind.models.types import Model
from tests.wind.upstream import HOUR, RUN

# 2026-05-12 00:00 UTC, and six hours later.
SIX = RUN + 6 * HOUR


@pytest.mark.parametrize(
    ("model", "hour", "count", "last"),
    [
        (ICON_D2, 3, 49, 48),
        (ICON_EU, 6, 93, 120),
        (ICON_EU, 9, 34, 48),
        (ICON, 0, 113, 180),
        (ICON, 6, 93, 120),
        (GFS, 18, 209, 384),
        (ICON_D2_RUC, 7, 15, 14),
        (ECMWF, 12, 85, 360),
        (ECMWF, 6, 49, 144),
        (AIFS, 6, 61, 360),
        (AROME, 21, 52, 51),
        (ARPEGE, 0, 103, 102),
        (ICON_EU_EPS, 0, 91, 120),
    ],
)
def test_expected_steps_of_a_run(model: Model, hour: int, count: int, last: int) -> None:
    steps = model.steps(hour)
    assert (len(steps), steps[0], steps[-1]) == (count, 0, last)
    assert AICON.steps(12)[:2] == (3, 6) and AICON.steps(12)[-1] == 180
    batches = model.upstream.batches(RUN, steps)
    assert tuple(step for batch in batches for step in batch) == steps


def test_paths_are_those_of_the_providers() -> None:
    assert ICON_D2.upstream.path(SIX, 7, "U_10M") == (  # type: ignore[attr-defined]
        "v1/m/icon-d2/p/U_10M/r/2026-05-12T06:00/s/PT007H00M.grib2"
    )
    assert GFS.upstream.path(SIX, 3) == (  # type: ignore[attr-defined]
        "gfs.20260512/06/atmos/gfs.t06z.pgrb2.0p25.f003"
    )
    assert ECMWF.upstream.stem(SIX, 3) == (  # type: ignore[attr-defined]
        "20260512/06z/ifs/0p25/oper/20260512060000-3h-oper-fc"
    )
    assert AIFS.upstream.stem(SIX, 6) == (  # type: ignore[attr-defined]
        "20260512/06z/aifs-single/0p25/oper/20260512060000-6h-oper-fc"
    )
    assert AROME.upstream.path(SIX, 7) == (  # type: ignore[attr-defined]
        "2026-05-12T06:00:00Z/arome/0025/SP1/arome__0025__SP1__07H12H__2026-05-12T06:00:00Z.grib2"
    )
    assert ARPEGE.upstream.path(RUN, 0) == (  # type: ignore[attr-defined]
        "2026-05-12T00:00:00Z/arpege/01/SP1/arpege__01__SP1__000H012H__2026-05-12T00:00:00Z.grib2"
    )


def test_run_is_found_by_time() -> None:
    assert ICON_D2.run_at_or_before(RUN + 5 * HOUR + 1) == RUN + 3 * HOUR
    assert GFS.run_at_or_before(RUN + 5.9 * HOUR) == RUN
    assert all(model.step_hours in (1, 3, 6) for model in MODELS)


IDX = (
    "1:0:d=2026051200:PRMSL:mean sea level:anl:\n"
    "2:100:d=2026051200:UGRD:100 m above ground:anl:\n"
    "3:250:d=2026051200:UGRD:10 m above ground:anl:ENS=+1\n"
    "4:300:d=2026051200:VGRD:10 m above ground:anl:\n"
)


def test_text_index_gives_byte_ranges() -> None:
    u, v, pressure = gfs.wanted_lines(IDX.encode(), "2026051200")
    assert (u.offset, u.length) == (250, 50)
    assert (v.offset, v.length) == (300, None)
    assert (pressure.offset, pressure.length) == (0, 100)


def test_fields_of_one_message_are_fetched_once() -> None:
    index = (
        "1:0:d=2026051200:PRMSL:mean sea level:anl:\n"
        "2.1:100:d=2026051200:UGRD:10 m above ground:anl:\n"
        "2.2:100:d=2026051200:VGRD:10 m above ground:anl:\n"
        "3:250:d=2026051200:GUST:surface:anl:\n"
    )
    lines = gfs.wanted_lines(index.encode(), "2026051200")
    assert [line.variable for line in lines] == ["UGRD", "VGRD", "GUST", "PRMSL"]
    assert gfs.messages_of(lines) == [(100, 150), (250, None), (0, 100)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (IDX.replace("VGRD", "VVEL"), "missing_field"),
        (IDX.replace("d=2026051200", "d=2026051100"), "wrong_run"),
        (IDX.replace(":250:", ":90:"), "unreadable"),
        ("<html>too many requests</html>", "unreadable"),
        ("", "unreadable"),
    ],
)
def test_wrong_text_index_is_rejected(text: str, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        gfs.wanted_lines(text.encode(), "2026051200")
    assert refused.value.reason == reason


def line(param: str, date: str = "20260512", **more: object) -> str:
    extra = "".join(f', "{key}": "{value}"' for key, value in more.items())
    return (
        f'{{"param": "{param}", "levtype": "sfc", "date": "{date}", "time": "0000", '
        f'"step": "3", "_offset": 7, "_length": 9{extra}}}'
    )


def test_json_index_gives_byte_ranges() -> None:
    lines = [line("msl"), line("10v"), line("10u"), line("10u", number="3"), line("10fg")]
    found = ecmwf.wanted_lines("\n".join(lines).encode(), RUN)
    assert [(each.param, each.offset, each.length) for each in found] == [
        ("10u", 7, 9),
        ("10v", 7, 9),
        ("10fg", 7, 9),
        ("msl", 7, 9),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (line("10u"), "missing_field"),
        (f"{line('10u')}\n{line('10v', '20260511')}", "wrong_run"),
        ("<html/>", "unreadable"),
        (line("10u").replace(": 9", ": -9"), "unreadable"),
    ],
)
def test_wrong_json_index_is_rejected(text: str, reason: str) -> None:
    with pytest.raises(Refused) as refused:
        ecmwf.wanted_lines(text.encode(), RUN)
    assert refused.value.reason == reason


@given(st.binary(max_size=200))
def test_noise_does_not_crash_index_parsers(noise: bytes) -> None:
    for read in (gfs.parse_index, ecmwf.parse_index):
        with suppress(Refused):
            read(noise)
