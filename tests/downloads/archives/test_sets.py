import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.downloads.archives import find_sets
from quartet.downloads.extraction.package_archives import set_of
from quartet.kernel.errors import AppError
from quartet.kernel.files import Root

SETS = {
    "part": [f"Film.part{number}.rar" for number in range(1, 13)],
    "padded": [f"Show.part{number:02}.rar" for number in range(1, 13)],
    "old": ["Old.rar", *(f"Old.r{number:02}" for number in range(12))],
    "very old": ["Long.rar", *(f"Long.r{n:02}" for n in range(100)), "Long.s00", "Long.s01"],
    "numbered 7z": [f"Film.7z.{number:03}" for number in range(1, 5)],
    "numbered zip": [f"Film.zip.{number:03}" for number in range(1, 5)],
    "numbered rar": [f"Film.rar.{number:03}" for number in range(1, 5)],
    "spanned zip": ["Film.zip", "Film.z01", "Film.z02", "Film.z03"],
    "single": ["Film.rar"],
    "7z": ["Film.7z"],
    "tar": ["Film.tar"],
    "packed tar": ["Film.tar.gz"],
    "short packed tar": ["Film.tgz"],
    "stream": ["Film.gz"],
}
EVERY_NAME = [name for names in SETS.values() for name in names]
FAMILY = {name: family for family, names in SETS.items() for name in names}


@pytest.mark.parametrize("names", SETS.values(), ids=SETS)
def test_set_is_found_complete_and_in_order(names: list[str]) -> None:
    (found,) = find_sets(reversed([*names, "notes.txt", "film.mkv", "a.docx"]))
    assert found.parts == tuple(names)
    assert found.missing == ()


def test_sets_with_same_stem_are_separated() -> None:
    assert {found.parts for found in find_sets(EVERY_NAME)} == {
        tuple(names) for names in SETS.values()
    }


def test_names_are_case_insensitive() -> None:
    (found,) = find_sets(["FILM.PART1.RAR", "film.Part2.rar", "Film.part3.RAR"])
    assert found.parts == ("FILM.PART1.RAR", "film.Part2.rar", "Film.part3.RAR")


def test_case_separates_sets_with_duplicate_numbers() -> None:
    found = find_sets(["A.rar", "A.r00", "a.rar", "a.r00"])
    assert [one.parts for one in found] == [("A.rar", "A.r00"), ("a.rar", "a.r00")]


def test_padded_and_unpadded_numbers_are_two_sets() -> None:
    names = [f"x.part{n}.rar" for n in range(1, 4)] + [f"x.part{n:02}.rar" for n in range(1, 4)]
    assert {len(found.parts) for found in find_sets(names)} == {3}


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (["a.part01.rar", "a.part04.rar"], ["a.part02.rar", "a.part03.rar"]),
        (["a.part2.rar"], ["a.part1.rar"]),
        (["a.PART2.RAR"], ["a.PART1.RAR"]),
        (["a.r00", "a.r02"], ["a.rar", "a.r01"]),
        (["a.7z.001", "a.7z.003"], ["a.7z.002"]),
        (["a.zip", "a.z02"], ["a.z01"]),
        (["a.z01"], ["a.zip"]),
    ],
)
def test_missing_volumes_are_named(names: list[str], missing: list[str]) -> None:
    (found,) = find_sets(names)
    assert list(found.missing) == missing


def test_large_gap_is_not_listed_completely() -> None:
    (found,) = find_sets(["a.part1.rar", "a.part99999.rar"])
    assert 0 < len(found.missing) <= 50


def test_any_volume_identifies_the_set(root: Root) -> None:
    for name in ("a.part1.rar", "a.part2.rar", "b.zip", "notes.txt"):
        (root.path / name).write_bytes(b"")
    (root.path / "c.zip").symlink_to("b.zip")  # symbolic links are ignored
    assert set_of(root, "a.part2.rar", ()) == set_of(root, "a.part1.rar", ())
    for other in ("notes.txt", "c.zip", "missing.zip"):
        with pytest.raises(AppError) as caught:
            set_of(root, other, ())
        assert caught.value.code == "not_an_archive"


def test_same_names_in_two_folders_are_two_sets(root: Root) -> None:
    for folder in ("one", "two"):
        (root.path / folder).mkdir()
        (root.path / folder / "a.part1.rar").write_bytes(b"")
    assert set_of(root, "one/a.part1.rar", ()).folder == ("one",)
    assert set_of(root, "two/a.part1.rar", ()).folder == ("two",)


@given(
    st.lists(st.sampled_from(EVERY_NAME), unique=True).flatmap(
        lambda names: st.tuples(st.just(names), st.permutations(names))
    )
)
def test_order_does_not_matter_and_sets_do_not_mix(orders: tuple[list[str], list[str]]) -> None:
    names, shuffled = orders
    found = find_sets(names)
    assert found == find_sets(shuffled)
    for one in found:
        assert len({FAMILY[part] for part in one.parts}) == 1
        assert not set(one.missing) & set(names)
    parts = [part for one in found for part in one.parts]
    assert len(parts) == len(set(parts))
    for family in {FAMILY[part] for part in parts}:
        assert sum(FAMILY[one.first] == family for one in found) == 1


@given(
    st.lists(
        st.text(min_size=1, max_size=20)
        | st.from_regex(
            r"[aA]{1,2}\.(part0?[1-3]\.rar|r0[0-2]|RAR|rar|z0[12]|7z\.00[12])", fullmatch=True
        ),
        max_size=12,
    )
)
def test_each_name_is_in_at_most_one_set(names: list[str]) -> None:
    parts = [part for found in find_sets(names) for part in found.parts]
    assert len(parts) == len(set(parts))
    assert set(parts) <= set(names)
