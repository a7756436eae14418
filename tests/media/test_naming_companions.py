from hypothesis import given
from hypothesis import strategies as st

from quartet.media.naming.companions import companions


def tails(video: str, *siblings: str) -> dict[str, str]:
    return dict(companions(video, [video, *siblings]))


def test_files_with_same_stem_keep_their_tail() -> None:
    names = ["Film.srt", "Film.de.forced.srt", "Film.pt-BR.sdh.ass", "film.nfo", "Film-poster.jpg"]
    assert tails("Film.mkv", *names, "Other.srt", "Film2.srt", "Film.rar") == {
        "Film.srt": ".srt",
        "Film.de.forced.srt": ".de.forced.srt",
        "Film.pt-BR.sdh.ass": ".pt-BR.sdh.ass",
        "film.nfo": ".nfo",
        "Film-poster.jpg": "-poster.jpg",
    }


def test_longest_stem_wins() -> None:
    files = ["Film.Extended.mkv", "Film.Extended.en.srt", "Film.en.srt"]
    assert tails("Film.mkv", *files) == {"Film.en.srt": ".en.srt"}
    others = ["Film.mkv", "Film.Extended.en.srt", "Film.en.srt"]
    assert tails("Film.Extended.mkv", *others) == {"Film.Extended.en.srt": ".en.srt"}


def test_other_episode_is_not_a_companion() -> None:
    assert tails("Show.mkv", "Show.S01E02.srt", "Show.1x02.srt") == {}


def test_generic_pictures_belong_to_only_video() -> None:
    names = ["poster.jpg", "fanart.jpg", "movie.nfo", "movie.jpg", "holiday.jpg"]
    assert tails("Film.mkv", *names) == {
        "poster.jpg": "-poster.jpg",
        "fanart.jpg": "-fanart.jpg",
        "movie.nfo": ".nfo",
    }
    assert tails("Film.mkv", *names, "Other.mkv") == {}


def test_subtitles_in_subfolder() -> None:
    names = [
        "Subs/2_English.srt",
        "Subs/3_English.srt",
        "Subs/4_German_Forced.srt",
        "Subs/Brazilian Portuguese.srt",
        "Subs/eng.hi.srt",
        "Subs/Hindi.srt",
        "Subs/readme.txt",
    ]
    assert tails("Film.mkv", *names) == {
        "Subs/2_English.srt": ".en.srt",
        "Subs/3_English.srt": ".en.2.srt",
        "Subs/4_German_Forced.srt": ".de.forced.srt",
        "Subs/Brazilian Portuguese.srt": ".pt-BR.srt",
        "Subs/eng.hi.srt": ".en.hi.srt",
        "Subs/Hindi.srt": ".hi.srt",
    }


def test_each_episode_has_its_own_subtitle_folder() -> None:
    names = ["Show.S01E02.mkv", "Subs/Show.S01E01/2_English.srt", "Subs/Show.S01E02/2_English.srt"]
    assert tails("Show.S01E01.mkv", *names) == {"Subs/Show.S01E01/2_English.srt": ".en.srt"}
    assert tails("Show.S01E01.mkv", "Show.S01E02.mkv", "Subs/English.srt") == {}


def test_idx_and_sub_share_their_tail() -> None:
    names = ["Subs/a.English.idx", "Subs/a.English.sub", "Subs/b.English.idx", "Subs/b.English.sub"]
    assert tails("Film.mkv", *names) == {
        "Subs/a.English.idx": ".en.idx",
        "Subs/a.English.sub": ".en.sub",
        "Subs/b.English.idx": ".en.2.idx",
        "Subs/b.English.sub": ".en.2.sub",
    }


def test_names_differing_in_case_are_two_files() -> None:
    assert tails("Film.mkv", "Film.en.srt", "Film.en.SRT") == {
        "Film.en.SRT": ".en.SRT",
        "Film.en.srt": ".en.2.srt",
    }


PARTS = st.sampled_from(["Film", ".en", "-poster", "Subs/", "/", ".forced", "2_English", "x" * 90])
NAMES = st.builds(
    lambda parts, end: "".join(parts).strip("/") + end,
    st.lists(PARTS, min_size=1, max_size=5),
    st.sampled_from([".srt", ".mkv", ".jpg", ".nfo", ".SRT", ""]),
)


@given(st.lists(NAMES, max_size=12))
def test_tails_are_unique_and_short(names: list[str]) -> None:
    found = companions("Film.mkv", names)
    assert len({tail.casefold() for _, tail in found}) == len(found)
    assert all(len(tail.encode()) < 100 and "/" not in tail for _, tail in found)
