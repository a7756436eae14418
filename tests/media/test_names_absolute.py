"""Absolute numbers, parts of mini-series and rounds of a season, and names that look like them."""

import pytest

from quartet.media.names.parse import parse

SURE = 0.9


@pytest.mark.parametrize(
    ("name", "title", "seasons", "episodes"),
    [
        ("[Nord] 11bells - 04 [D3A7B60F].mkv", "11bells", (), (4,)),
        ("Road to 2002 - 31.avi", "Road to 2002", (), (31,)),
        ("Quiet Harbour Part 5 - 14 [1080p].mkv", "Quiet Harbour Part 5", (), (14,)),
        ("[Nord] Quiet Harbour Ultimate - 09 [BD].mkv", "Quiet Harbour Ultimate", (), (9,)),
        ("Quiet Harbour 167.avi", "Quiet Harbour", (), (167,)),
        ("The Quiet Harbour 26.mkv", "The Quiet Harbour", (), (26,)),
        ("Quiet Harbour 74 [720p]", "Quiet Harbour", (), (74,)),
        ("Quiet Harbour 02 17 [DVD].avi", "Quiet Harbour 02", (), (17,)),
        ("[Nord] Quiet Harbour 0 23 [1080p].mkv", "Quiet Harbour 0", (), (23,)),
        ("The Quiet Harbour 112.mkv", "The Quiet Harbour", (1,), (12,)),
        ("Quiet Harbour Chapter Two - The Storm.mkv", "Quiet Harbour", (), (2,)),
        ("Quiet Harbour Volume 3 Chapter 5.mp4", "Quiet Harbour Volume 3", (), (5,)),
        ("Quiet Harbour 155 The Storm.avi", "Quiet Harbour", (), (155,)),
        ("Quiet_Harbour_345_Sub_ITA.mp4", "Quiet Harbour", (), (345,)),
        ("Harbour-147.mp4", "Harbour", (), (147,)),
        ("Quiet Harbour (1997) 25.mkv", "Quiet Harbour", (), (25,)),
        ("Le port n°45.avi", "Le port", (), (45,)),
        ("Quiet Harbour (1997) 25 - The Storm.mkv", "Quiet Harbour", (), (25,)),
        ("Quiet Harbour 7800.mp4", "Quiet Harbour", (), (7800,)),
        ("Quiet_Harbour_1124.mp4", "Quiet Harbour", (), (1124,)),
        ("[Nord] Quiet Harbour - 75 (Season 4) [1080p].mkv", "Quiet Harbour", (4,), (75,)),
        ("Quiet Harbour - 87 - S04E28 - The Storm.mkv", "Quiet Harbour", (4,), (28,)),
        ("Quiet Harbour 101 - 110", "Quiet Harbour", (), tuple(range(101, 111))),
        ("Quiet.Harbour.Ep.VIII.DVDRip.avi", "Quiet Harbour", (), (8,)),
        ("Quiet.Harbour.1977.Part.VI.DVDRip.avi", "Quiet Harbour", (), (6,)),
        ("Quiet Harbour (Part 2).mkv", "Quiet Harbour", (), (2,)),
        ("QuietHarbour1124.mp4", "QuietHarbour", (), (1124,)),
        ("QuietHarbour05.mp4", "QuietHarbour", (), (5,)),
        ("Quiet Harbour - Act 14.mkv", "Quiet Harbour", (), (14,)),
        ("Quiet Harbour Session 05 - The Storm.mkv", "Quiet Harbour", (), (5,)),
        ("Quiet Harbour Nr. 05.mkv", "Quiet Harbour", (), (5,)),
        ("Quiet Harbour Cap. 230.avi", "Quiet Harbour", (), (230,)),
        ("Quiet Harbour [Cap.230].avi", "Quiet Harbour", (2,), (30,)),
        ("Quiet Harbour - 0523 - The Storm.avi", "Quiet Harbour", (), (523,)),
        ("Quiet Harbour 1071 Subtitle Indonesia 720p.mp4", "Quiet Harbour", (), (1071,)),
        ("86 - 11 [1080p].mkv", "86", (), (11,)),
        ("静かな港 第弐拾話.mkv", "静かな港", (), (20,)),
        ("Der Hafen St.17 Flg.4.mp4", "Der Hafen", (17,), (4,)),
        ("Der Hafen S01E03u04.avi", "Der Hafen", (1,), (3, 4)),
        ("Il porto Stagione 1 Episodi 3-4.avi", "Il porto", (1,), (3, 4)),
        ("Formula.1.2024.Round.05.China.Race.1080p.mkv", "Formula 1", (2024,), (5,)),
        ("NFL 2023 Week 12 Bills at Eagles.mkv", "NFL", (2023,), (12,)),
        ("Bundesliga.2023-24.12.Spieltag.mp4", "Bundesliga", (2023,), (12,)),
        ("Formula E Season 10 Round 03 Diriyah.mkv", "Formula E", (10,), (3,)),
        ("[Nord] Pluto - 05 [NF WEB-DL 1080p].mkv", "Pluto", (), (5,)),
        ("[Nord] Hybrid - S01E05 [480p].mkv", "Hybrid", (1,), (5,)),
        ("Quiet Harbour 4.05 The Storm.avi", "Quiet Harbour", (4,), (5,)),
        ("Quiet Harbour - 6321 - 12 Jan 2022.mp4", "Quiet Harbour", (), (6321,)),
        ("Quiet Harbour F7345 vom 12.09.2021.mp4", "Quiet Harbour", (), (7345,)),
        ("Quiet.Harbour.445-446.[720p].mkv", "Quiet Harbour", (), (445, 446)),
        ("Quiet.Harbour.204-205.720p.mkv", "Quiet Harbour", (2,), (4, 5)),
    ],
)
def test_number_of_long_series(
    name: str, title: str, seasons: tuple[int, ...], episodes: tuple[int, ...]
) -> None:
    parsed = parse(name)

    assert (parsed.title, parsed.seasons, parsed.episodes) == (title, seasons, episodes)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Apollo 13.mkv", "Apollo 13"),
        ("John Wick Chapter 4.mkv", "John Wick Chapter 4"),
        ("Friday the 13th Part VI (1986).mkv", "Friday the 13th Part VI"),
        ("John.Wick.Chapter.4.2023.1080p.mkv", "John Wick Chapter 4"),
        ("Summer.of.84.2018.1080p.mkv", "Summer of 84"),
        ("Evangelion 3.33 You Can (Not) Redo.mkv", "Evangelion 3.33 You Can (Not) Redo"),
    ],
)
def test_number_of_movie_title_is_no_episode(name: str, title: str) -> None:
    parsed = parse(name)

    assert (parsed.title, parsed.episodes) == (title, ())


@pytest.mark.parametrize("name", ["Quiet Harbour 167.avi", "Quiet Harbour (1997) 25.mkv"])
def test_number_that_may_belong_to_title_keeps_both_readings(name: str) -> None:
    parsed = parse(name)

    assert parsed.kind.confidence < SURE
    assert any(not other.episodes for other in parsed.other_readings)
