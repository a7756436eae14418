"""Search by name."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.wind.places.name_folding import LONGEST, fold
from quartet.wind.places.name_index import NameEntry, NameIndex, new_edition, write_names
from quartet.wind.places.typed_coordinates import typed_coordinates

TOWNS = ("Kiel", "Kielce", "Lübeck", "Sankt Peter-Ording", "Saint-Malo", "Ærøskøbing", "Łeba")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> NameIndex:
    path = tmp_path_factory.mktemp("names") / "names.sqlite3"
    with new_edition(path) as conn:
        write_names(conn, (NameEntry(at, at, (name,)) for at, name in enumerate(TOWNS)), "1")
    return NameIndex(path)


def found(index: NameIndex, text: str) -> list[str]:
    return [TOWNS[ref] for ref in index.find(text, 10)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("kiel", "Kiel"),
        ("KIELC", "Kielce"),
        ("lubeck", "Lübeck"),
        ("Luebeck", "Lübeck"),
        ("lu\u0308beck", "Lübeck"),
        ("ording", "Sankt Peter-Ording"),
        ("peter ord", "Sankt Peter-Ording"),
        ("st malo", None),
        ("saint malo", "Saint-Malo"),
        ("aeroskobing", "Ærøskøbing"),
        ("leba", "Łeba"),
        ("l", "Lübeck"),
    ],
)
def test_prefix_matches(index: NameIndex, text: str, first: str | None) -> None:
    names = found(index, text)
    assert (names[0] if names else None) == first


@pytest.mark.parametrize("text", ["lubekc", "lubck", "lubbeck", "lunbeck", "Lübrck"])
def test_one_typo_is_tolerated(index: NameIndex, text: str) -> None:
    assert found(index, text) == ["Lübeck"]


def test_missing_index_finds_nothing(tmp_path: Path) -> None:
    assert NameIndex(tmp_path / "none").find("kiel", 5) == []


@given(st.text(max_size=300))
def test_folding_is_idempotent(text: str) -> None:
    folded = fold(text)
    assert len(folded) <= LONGEST
    assert "  " not in folded and folded == folded.strip()
    assert not set(folded) & set("%_'\"\\;\0\n")


@given(st.text(max_size=60))
def test_arbitrary_text_is_handled(index: NameIndex, text: str) -> None:
    assert len(index.find(text, 3)) <= 3


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("54.3,10.1", (54.3, 10.1)),
        (" 54.3 , 10.1 ", (54.3, 10.1)),
        ("54.3 10.1", (54.3, 10.1)),
        ("-33.92; 18.42", (-33.92, 18.42)),
        ("54,3 10,1", (54.3, 10.1)),
        ("54.3N 10.1E", (54.3, 10.1)),
        ("N54.3 W10.1", (54.3, -10.1)),
        ("54°18'N 10°06'E", (54.3, 10.1)),
        ("54°18\u203200\u2033N, 10°06\u203200\u2033O", (54.3, 10.1)),
        ("33°55'S 18°25'E", (-33.92, 18.42)),
    ],
)
def test_coordinates_are_recognised(text: str, place: tuple[float, float]) -> None:
    assert typed_coordinates(text) == place


@pytest.mark.parametrize("text", ["", "54", "91,0", "54.3,10.1,1", "1e5,2", "٥٤,10", "5" * 5000])
def test_other_texts_are_not_coordinates(text: str) -> None:
    assert typed_coordinates(text) is None


def test_spaces_between_coordinates_do_not_stop_the_service() -> None:
    """Anybody may search; eighty characters took two seconds in the event loop."""
    began = time.thread_time()
    assert typed_coordinates(f"N1{' ' * 36}E1{' ' * 38}!") is None
    assert typed_coordinates(f"N54{' ' * 30}E10{' ' * 90}") == (54, 10)
    assert time.thread_time() - began < 0.5


def test_query_is_fast_with_many_names(tmp_path: Path) -> None:
    """As many names as there are stations."""
    syllables = ["ba", "ko", "li", "mu", "ne", "po", "ra", "si", "tu", "ve"]
    names = (
        "".join(syllables[int(digit)] for digit in f"{number * 7919 % 1_000_000:06}")
        for number in range(30_000)
    )
    path = tmp_path / "many.sqlite3"
    with new_edition(path) as conn:
        write_names(conn, (NameEntry(at, at, (name,)) for at, name in enumerate(names)), "1")
    many = NameIndex(path)
    for text in ("b", "ba", "bako", "bakoli", "bakoliz", "xyzxyz"):
        times = []
        for _ in range(7):
            began = time.process_time()
            many.find(text, 10)
            times.append(time.process_time() - began)
        # CPU time, which does not depend on other load.
        assert sorted(times)[3] < 0.005, text
