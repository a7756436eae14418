"""Titles of episodes that contain words of release tags, times, acronyms and brackets."""

import pytest

from quartet.media.names.parse import parse


@pytest.mark.parametrize(
    ("name", "title"),
    [
        # No title ends with the word before the tag.
        ("Quiet.Harbour.S01E05.The.End.720p.mkv", "The End"),
        ("Quiet.Harbour.S01E05.Pardon.My.French.720p.WEB.mkv", "Pardon My French"),
        ("Quiet.Harbour.S01E05.Good.and.Proper.720p.mkv", "Good and Proper"),
        ("Quiet Harbour - S01E05 - At the Movies [HDTV-720p].mkv", "At the Movies"),
        # The word says nothing about the release.
        ("Quiet.Harbour.S04E10.Dead.End.720p.WEB.mkv", "Dead End"),
        ("Quiet.Harbour.S00E01.Christmas.Special.mkv", "Christmas Special"),
        (
            "Quiet Harbour - S00E01 - The Storm (Christmas Special).mkv",
            "The Storm (Christmas Special)",
        ),
        ("Quiet.Harbour.S01E05.Love.2.0.720p.mkv", "Love 2 0"),
        ("Quiet.Harbour.S01E05.A.Tangled.Web.720p.HDTV.mkv", "A Tangled Web"),
        ("Quiet Harbour S01E05 Shadow Play.mp4", "Shadow Play"),
        # Here it does.
        ("Quiet.Harbour.S01E05.The.Storm.German.720p.WEB.mkv", "The Storm"),
        ("Quiet.Harbour.S01E05.The.Storm.WEB.720p.mkv", "The Storm"),
        ("Quiet.Harbour.S01E05.The.Storm.UNCUT.720p.mkv", "The Storm"),
        ("[Nord] Quiet Harbour - 12 END [720p].mkv", None),
        # Brackets around the numbers.
        ("Quiet Harbour [1x05] The Storm.avi", "The Storm"),
        ("Quiet Harbour - (1x05) - The Storm.avi", "The Storm"),
        ("Quiet Harbour [1x05] (2010) 720p.avi", None),
        # Times and acronyms.
        ("24.S02E01.Day.2.8.00.A.M.-9.00.A.M.720p.mkv", "Day 2 8:00 A.M.-9:00 A.M."),
        ("24 - S01E01 - 12_00 A.M. - 1_00 A.M..mkv", "12:00 A.M. - 1:00 A.M."),
        ("Quiet Harbour - S01E05 - R.S.V.P..mkv", "R.S.V.P."),
        # The first of several stories.
        ("Quiet.Harbour.S01E05a.The.Storm.mkv", "The Storm"),
        ("Quiet Harbour - 1x05b - The Storm.mkv", "The Storm"),
    ],
)
def test_episode_title_is_whole(name: str, title: str | None) -> None:
    assert parse(name).episode_title == title


def test_times_are_not_episodes() -> None:
    parsed = parse("01 - 12.00 A.M. - 1.00 A.M..mkv", ["24", "Season 1"])
    assert (parsed.title, parsed.seasons, parsed.episodes) == ("24", (1,), (1,))


@pytest.mark.parametrize(
    ("name", "special"),
    [
        ("[Nord] Quiet Harbour - OVA 02 [BD].mkv", True),
        ("Quiet Harbour SP02.mkv", True),
        ("[Nord] Quiet Harbour - 14 OAD [BD].mkv", True),
        ("[Nord] Special A - 05 [480p].mkv", False),
        ("[Nord] Quiet Harbour - 05 [BD + SP].mkv", False),
    ],
)
def test_number_of_a_special_is_told_apart(name: str, special: bool) -> None:
    assert parse(name).special is special
