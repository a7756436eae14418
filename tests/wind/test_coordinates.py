import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.wind.places.coordinates import parse_coordinates

WORDS = ("NaN", "Inf", "-Infinity", "0x10", "1_0", "--1", ".", "e5", "1e", "½", "٥٤", "54.3°")
FAR = ("1e309", "90.0000001", "-90.01", "5e99999", "54,3", "1" * 65, "9" * 10_000)


@pytest.mark.parametrize("text", [*WORDS, *FAR, "", " 54", "54 ", "1\n"])
def test_invalid_latitudes_are_rejected(text: str) -> None:
    with pytest.raises(AppError) as error:
        parse_coordinates([text], ["10"])
    assert (error.value.status, error.value.code) == (400, "invalid_coordinates")


@pytest.mark.parametrize("lons", [[], ["1", "1"], ["-180.005"], ["180.0001"], ["361"]])
def test_missing_repeated_and_out_of_range_longitudes_are_rejected(lons: list[str]) -> None:
    with pytest.raises(AppError, match="invalid_coordinates"):
        parse_coordinates(["0"], lons)


@pytest.mark.parametrize(
    ("lat", "lon", "place"),
    [
        ("54.3", "10.1", "(54.3, 10.1)"),
        ("54.305", "10.115", "(54.3, 10.12)"),
        ("54.315", "-0.005", "(54.32, 0.0)"),
        ("-0.0", "-0", "(0.0, 0.0)"),
        ("1e-320", "+.5e1", "(0.0, 5.0)"),
        ("90", "180", "(90.0, -180.0)"),
        ("-90.", "-180", "(-90.0, -180.0)"),
        ("0", "179.996", "(0.0, -180.0)"),
    ],
)
def test_coordinates_are_rounded_to_hundredths(lat: str, lon: str, place: str) -> None:
    assert str(tuple(parse_coordinates([lat], [lon]))) == place


@given(st.text(max_size=80), st.text(max_size=80))
def test_arbitrary_text_is_handled(lat: str, lon: str) -> None:
    try:
        place = parse_coordinates([lat], [lon])
    except AppError:
        return
    assert -90 <= place.lat <= 90 and -180 <= place.lon < 180
