from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.media.jobs.preview.item_state import target_key
from quartet.media.rules.apply import new_names
from quartet.media.rules.patterns import substitute
from quartet.media.rules.preview import preview
from quartet.media.rules.types import LONGEST_TEXT, File, Replace, Rule
from tests.media.rule_patterns import PATTERNS

NOON = 1_614_859_200.0  # 4 March 2021, 12:00 UTC


def rules(*given: dict[str, Any]) -> list[Rule]:
    return msgspec.convert(list(given), list[Rule])


def names(files: list[str], *given: dict[str, Any]) -> list[str]:
    return new_names(rules(*given), [File(name=name, modified=NOON) for name in files], PATTERNS)


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        ({"type": "replace", "find": "A", "replace": "$1"}, "banana.txt", "b$1n$1n$1.txt"),
        (
            {"type": "replace", "find": "A", "replace": "o", "all": False, "caseSensitive": False},
            "banana.txt",
            "bonana.txt",
        ),
        ({"type": "replace", "find": "A", "caseSensitive": True}, "banana.txt", "banana.txt"),
        (
            {"type": "replace", "find": r"(\d+)-(?<b>\d+)", "replace": "${b}-$1", "regex": True},
            "1-22.txt",
            "22-1.txt",
        ),
        ({"type": "insert", "text": "x ", "position": "start"}, "a.txt", "x a.txt"),
        ({"type": "insert", "text": "!", "position": "end"}, "a.txt", "a!.txt"),
        ({"type": "insert", "text": "-", "position": "index", "index": 1}, "abc.txt", "a-bc.txt"),
        ({"type": "insert", "text": "-", "position": "index", "index": -1}, "abc.txt", "ab-c.txt"),
        ({"type": "remove", "from": 1, "count": 2}, "abcd.txt", "ad.txt"),
        ({"type": "remove", "from": 1, "count": 2, "fromEnd": True}, "abcd.txt", "ad.txt"),
        ({"type": "case", "to": "title"}, "it's A world.TXT", "It's A World.TXT"),
        ({"type": "case", "to": "upper", "target": "full"}, "a.txt", "A.TXT"),
        ({"type": "case", "to": "sentence"}, "HELLO World.txt", "Hello world.txt"),
        ({"type": "separators", "separator": "-"}, "a.b_c  d.txt", "a-b-c-d.txt"),
        ({"type": "date", "position": "end"}, "a.txt", "a 2021-03-04.txt"),
        ({"type": "date", "format": "DD.MM.YY", "position": "replace"}, "a.txt", "04.03.21.txt"),
        ({"type": "date", "source": "birthtime"}, "a.txt", "a.txt"),
        ({"type": "extension", "to": ".JPG"}, "a.jpeg", "a.jpg"),
        ({"type": "extension", "case": "upper"}, "a.mkv", "a.MKV"),
        ({"type": "transliterate"}, "Füße Сталкер.txt", "Fuesse Stalker.txt"),
        ({"type": "transliterate", "stripDiacritics": True}, "Füé Ст.txt", "Fue Ст.txt"),
        ({"type": "cutAfter", "pattern": "1080p"}, "film 1080p x.mkv", "film.mkv"),
        (
            {"type": "cutAfter", "pattern": r"\d{4}", "regex": True, "keepMatch": True},
            "film 1999 x.mkv",
            "film 1999.mkv",
        ),
        ({"type": "pad", "digits": 3}, "a1 b22 c4444.txt", "a001 b022 c4444.txt"),
        ({"type": "cleanup"}, "[grp]_a.b--c (x)  d.txt", "a b - c d.txt"),
        ({"type": "strip", "digits": True}, "a1b٢c.txt", "abc.txt"),
        ({"type": "strip", "symbols": True, "chars": "x"}, "a!b$x-c.txt", "abc.txt"),
        ({"type": "rearrange", "pattern": "$2 by $1"}, "Who - What.mp3", "What by Who.mp3"),
        ({"type": "rearrange"}, "plain.mp3", "plain.mp3"),
        ({"type": "replace", "find": "a", "target": "extension"}, "a.aac", "a.c"),
        ({"type": "replace", "find": "a", "enabled": False}, "a.txt", "a.txt"),
    ],
)
def test_each_kind_of_rule(rule: dict[str, Any], before: str, after: str) -> None:
    assert names([before], rule) == [after]


def test_numbering() -> None:
    files = ["b10.txt", "b2.txt", "a.txt"]
    by_list = {"type": "numbering", "start": 5, "step": 5, "separator": "_"}
    assert names(files, by_list) == ["05_b10.txt", "10_b2.txt", "15_a.txt"]
    by_name = {"type": "numbering", "padding": 0, "position": "replace", "sort": "name"}
    assert names(files, by_name) == ["3.txt", "2.txt", "1.txt"]


def test_numbering_starts_again_in_every_folder() -> None:
    files = [File(folder=folder, name=name) for folder in "ab" for name in ("x.txt", "y.txt")]
    rule = {"type": "numbering", "padding": 0, "position": "replace", "perFolder": True}
    assert new_names(rules(rule), files, PATTERNS) == ["1.txt", "2.txt", "1.txt", "2.txt"]


def test_list_of_names() -> None:
    given = {"type": "list", "names": ["one", "", "three"]}
    assert names(["a.txt", "b.txt", "c.txt", "d.txt"], given) == [
        "one.txt",
        "b.txt",
        "three.txt",
        "d.txt",
    ]


def test_metadata() -> None:
    song = {"artist": "Ada", "title": "A/B", "track": "3/12"}
    photo = {"taken": "2021:03:04 05:06:07"}
    files = [
        File(name="a.mp3", tags=song),
        File(name="b.jpg", tags=photo),
        File(name="c.mp3", tags={}),
    ]
    music = rules({"type": "metadata", "template": "{track} {artist} - {title}"})
    assert new_names(music, files, PATTERNS) == ["03 Ada - A-B.mp3", "b.jpg", "c.mp3"]
    dated = rules({"type": "metadata", "template": "{date:YYYYMMDD_HHmmss}", "position": "start"})
    assert new_names(dated, files, PATTERNS) == ["a.mp3", "20210304_050607 b.jpg", "c.mp3"]


def test_folders_have_no_extension() -> None:
    files = [File(name="v1.5", is_folder=True), File(name="v1.5")]
    upper = rules({"type": "case", "to": "upper", "target": "name"})
    assert new_names(upper, files, PATTERNS) == ["V1.5", "V1.5"]
    only = rules({"type": "insert", "text": "x", "position": "end", "appliesTo": "folders"})
    assert new_names(only, files, PATTERNS) == ["v1.5x", "v1.5"]


def test_preview_shows_steps_and_conflicts() -> None:
    files = [File(folder="/f", name=name) for name in ("A1.txt", "a2.txt")]
    steps = rules({"type": "strip", "digits": True}, {"type": "insert", "text": "x"})
    shown = preview(steps, files, PATTERNS)
    assert [(each.path, each.name, each.steps, each.conflict) for each in shown.files] == [
        ("/f/A1.txt", "xA.txt", ["A.txt", "xA.txt"], True),
        ("/f/a2.txt", "xa.txt", ["a.txt", "xa.txt"], True),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("/f", "\u0390.txt"), ("/f", "\u03aa\u0301.txt")),
        (("/f/Show", "a.txt"), ("/f/show", "a.txt")),
    ],
)
def test_preview_conflicts_match_target_keys(one: tuple[str, str], other: tuple[str, str]) -> None:
    files = [File(folder=folder, name=name) for folder, name in (one, other)]
    assert len({target_key(f"{file.folder}/{file.name}") for file in files}) == 1
    assert [each.conflict for each in preview([], files, PATTERNS).files] == [True, True]


def test_swaps_and_shifts_are_no_conflict() -> None:
    files = [File(name=f"{number}.txt") for number in (1, 2, 3)]
    shift = rules({"type": "numbering", "start": 2, "padding": 0, "position": "replace"})
    shown = preview(shift, files, PATTERNS).files
    assert [each.name for each in shown] == ["2.txt", "3.txt", "4.txt"]
    assert not any(each.conflict for each in shown)


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ({"type": "replace", "find": "(", "regex": True}, "pattern_invalid"),
        ({"type": "cutAfter", "pattern": "[z-a]", "regex": True}, "pattern_invalid"),
        (
            {"type": "replace", "find": "a", "replace": "$7", "regex": True},
            "pattern_group_unknown",
        ),
        # Would take years.
        ({"type": "replace", "find": r"(a|aa)+$", "regex": True}, "pattern_too_slow"),
    ],
)
def test_invalid_patterns(rule: dict[str, Any], code: str) -> None:
    files = [File(name="a" * 200 + "!.txt")] * 1000
    shown = preview(rules({"type": "case", "to": "lower"}, rule), files, PATTERNS)
    assert shown.files == []
    assert shown.error and (shown.error.code, shown.error.inputs["rule"]) == (code, 1)


def test_unchanged_name_is_kept_as_it_is() -> None:
    odd = ["CON.txt", "trailing. ", "\udcff.mkv", "x" * 255]
    assert names(odd, {"type": "replace", "find": "no such thing"}) == odd


def test_empty_name_becomes_underscore() -> None:
    everything = {"type": "remove", "count": 500}
    assert names(["abc.txt", "abc"], everything) == ["_.txt", "_"]


KINDS = st.sampled_from(
    [
        {"type": "replace", "find": "a", "replace": "/../"},
        {"type": "replace", "find": ".", "replace": "../", "regex": True, "target": "full"},
        {"type": "insert", "text": "x" * 300, "position": "index", "index": 3},
        {"type": "remove", "count": 3, "target": "full"},
        {"type": "case", "to": "title", "target": "full"},
        {"type": "separators", "separator": "\0"},
        {"type": "numbering", "position": "replace"},
        {"type": "extension", "to": "a/b"},
        {"type": "transliterate", "target": "full"},
        {"type": "cleanup", "target": "full"},
        {"type": "strip", "symbols": True, "target": "full"},
        {"type": "list", "names": ["..", "CON", "/etc/passwd", "."]},
        {"type": "pad", "digits": 10},
    ]
)


@given(st.lists(KINDS, max_size=5), st.lists(st.text(min_size=1, max_size=60), max_size=6))
def test_rules_never_produce_invalid_file_names(
    given: list[dict[str, Any]], files: list[str]
) -> None:
    files = [name for name in files if "/" not in name and name not in (".", "..")]
    for before, after in zip(files, names(files, *given), strict=True):
        if before != after:
            assert after not in ("", ".", "..")
            assert not set(after) & set('/\\\0<>:"|?*')
            assert len(after.encode()) <= 255


def test_invalid_rules_are_refused() -> None:
    for wrong in (
        {"type": "explode"},
        {"type": "pad", "digits": 11},
        {"type": "replace", "find": "x" * 501},
        {"type": "numbering", "sort": "random"},
    ):
        with pytest.raises(msgspec.ValidationError):
            rules(wrong)


def test_many_rules_over_many_files_end_in_time() -> None:
    slow = {"type": "replace", "find": r"(\w+\s?)+$", "replace": "$1", "regex": True}
    files = [File(name=f"some words {number}.txt") for number in range(300)]
    try:
        assert len(new_names(rules(*[slow] * 20), files, PATTERNS)) == 300
    except AppError as error:
        assert error.code in ("rules_too_slow", "pattern_too_slow")


def test_replacement_cannot_grow_all_names_to_gigabytes() -> None:
    rule = Replace(find="a", replace="b" * 500)
    grown = substitute(rule, ["a" * LONGEST_TEXT] * 3, 0, PATTERNS)
    assert [len(each) for each in grown] == [LONGEST_TEXT] * 3
