"""Names fit, stay readable and stay in their folder for any title."""

import contextlib

from hypothesis import given
from hypothesis import strategies as st

from quartet.kernel.errors import AppError
from quartet.media.naming.presets import PRESETS
from quartet.media.naming.render import BACKUP_ROOM, render
from quartet.media.naming.types import Facts

TAILS = (".pt-BR.forced.sdh.srt", "-clearlogo.png", ".de.srt")
WORDS = st.text(max_size=400)
BITS = st.sampled_from(
    [*"{}/\\|':. x", "{n}", "{t}", "{s00e00}", "{?y}", "{!y}", "{/}", "..", "{n|", "truncate:3"]
)


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    episodes = draw(st.lists(st.integers(0, 9999), max_size=3))
    return Facts(
        kind=draw(st.sampled_from(["movie", "series"])),
        title=draw(WORDS),
        year=draw(st.none() | st.integers(1880, 2100)),
        season=draw(st.none() | st.integers(0, 2100)),
        episodes=tuple(episodes),
        episode_titles=tuple(draw(WORDS) for _ in episodes),
        edition=draw(st.none() | WORDS),
        group=draw(st.none() | WORDS),
        tvdb=draw(st.none() | WORDS),
        extension=draw(st.sampled_from(["mkv", ".mp4", "", "m2ts", "../x", "a" * 300])),
    )


def check(path: str) -> None:
    for name in path.split("/"):
        assert name not in ("", ".", "..")
        assert len(name.encode()) + BACKUP_ROOM <= 255 + 1
        assert not set(name) & set('<>:"\\|?*\0')
        assert name[-1] not in ". " and name[0] != "."


@given(facts(), st.sampled_from(PRESETS))
def test_preset_names_fit(about: Facts, preset: object) -> None:
    template = preset.template  # type: ignore[attr-defined]
    path = render(template, about, TAILS)
    check(path)
    stem, _, _ = path.rpartition(".")
    for tail in TAILS:
        assert len((stem.rpartition("/")[2] + tail).encode()) + BACKUP_ROOM <= 255


@given(st.lists(BITS | st.text(max_size=5), max_size=30).map("".join), facts())
def test_any_text_renders_or_raises_a_code(template: str, about: Facts) -> None:
    with contextlib.suppress(AppError):
        check(render(template, about))


def long(title: str, episode: str) -> str:
    about = Facts(
        kind="series",
        title=title,
        season=1,
        episodes=(2,),
        episode_titles=(episode,),
        extension="mkv",
    )
    return render("{n} - {s00e00} - {t} [{s}]", about)


def test_episode_title_is_shortened_first() -> None:
    name = long("A Show", "word " * 100)
    assert name.startswith("A Show - S01E02 - word word")
    assert name.endswith(" [1].mkv")
    assert 170 < len(name) <= 190


def test_title_is_shortened_next_but_numbers_never() -> None:
    name = long("show " * 100, "An Episode")
    assert " - S01E02" in name
    assert name.endswith("[1].mkv")


def test_characters_are_not_split() -> None:
    family, flag, accent = "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0323"
    for sign in (family, flag, accent, "각", "한"):
        name = long("A", sign * 80)
        title = name.removeprefix("A - S01E02 - ").removesuffix(" [1].mkv")
        whole = long("A", sign).removeprefix("A - S01E02 - ").removesuffix(" [1].mkv")
        assert title
        assert title.replace(whole, "") == ""


def test_bidirectional_marks_are_removed() -> None:
    assert render("{n}", Facts(kind="movie", title="a\u202etxt.exe", extension="mkv")) == (
        "atxt.exe.mkv"
    )
