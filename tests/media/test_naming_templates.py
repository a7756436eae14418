import msgspec
import pytest

from quartet.kernel.errors import AppError
from quartet.media.naming.render import render
from quartet.media.naming.types import Facts

MOVIE = Facts(
    kind="movie",
    title="Mission: Impossible",
    year=1996,
    edition="Director's Cut",
    resolution="1080p",
    languages=("en", "de"),
    tmdb="954",
    rating=6.97,
    collection="The Impossible Collection",
    genre="Action",
    extension=".mkv",
)
EPISODE = Facts(
    kind="series",
    title="Doctor Who",
    year=2005,
    season=1,
    episodes=(9, 10),
    absolute=(9, 10),
    episode_titles=("The Empty Child", "The Doctor Dances"),
    date="2005-05-21",
    extension="mkv",
)


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("{n} ({y})", "Mission - Impossible (1996).mkv"),
        ("{n}/{n}", "Mission - Impossible/Mission - Impossible.mkv"),
        (r"{n} \{tmdb-{tmdb}\}", "Mission - Impossible {tmdb-954}.mkv"),
        ("{n|lower}", "mission - impossible.mkv"),
        ("{n|upper|replace:' ':'_'}", "MISSION-_IMPOSSIBLE.mkv"),
        ("{n|truncate:7}", "Mission.mkv"),
        ("{n|first}/{n}", "M/Mission - Impossible.mkv"),
        ("{group|default:'none'}", "none.mkv"),
        ("{y|pad:6}", "001996.mkv"),
        ("{n|space:'.'}", "Mission-.Impossible.mkv"),
        ("{edition|ascii} {rating} {lang}", "Director's Cut 7.0 en-de.mkv"),
        ("{?group}{group}/{/}{n}", "Mission - Impossible.mkv"),
        ("{collection|sort}/{genre} {y}", "Impossible Collection, The/Action 1996.mkv"),
        ("{!group}x{/}{?y}{?tmdb}{y}{/}{/}", "x1996.mkv"),
        ("{group}/{n}", "Mission - Impossible.mkv"),
        ("/{n}//x", "Mission - Impossible/x.mkv"),
        ("../../{n}", "Mission - Impossible.mkv"),
        ("{group}", "_.mkv"),
        ("CON", "_CON.mkv"),
        (r"a\\b\{\}", "a-b{}.mkv"),
        ("{n|replace:'|':'}'}", "Mission - Impossible.mkv"),
    ],
)
def test_movie_templates(template: str, path: str) -> None:
    assert render(template, MOVIE) == path


@pytest.mark.parametrize(
    ("template", "path"),
    [
        ("{n} {s00e00}", "Doctor Who S01E09-E10.mkv"),
        ("{n} {sxe}", "Doctor Who 1x09-1x10.mkv"),
        ("{s}.{e} {s00}.{e00}", "1.9-10 01.09-10.mkv"),
        ("{t}", "The Empty Child & The Doctor Dances.mkv"),
        ("{absolute} {abs}", "9-10 009-010.mkv"),
        ("{d} {kind}", "2005-05-21 series.mkv"),
    ],
)
def test_episode_templates(template: str, path: str) -> None:
    assert render(template, EPISODE) == path


def test_nonconsecutive_episodes() -> None:
    apart = msgspec.structs.replace(EPISODE, episodes=(1, 2, 3, 7))
    assert render("{s00e00} {sxe} {e}", apart) == "S01E01-E03E07 1x01-1x03+1x07 1-3+7.mkv"


@pytest.mark.parametrize(
    ("template", "code", "position"),
    [
        ("", "template_without_name", 0),
        ("   ", "template_without_name", 0),
        ("{n}/", "template_without_name", 4),
        ("{n} {oops}", "template_unknown_token", 5),
        ("{?oops}x{/}", "template_unknown_token", 2),
        ("{n|shout}", "template_unknown_filter", 3),
        ("{n|lower|pad:x}", "template_bad_argument", 9),
        ("{n|replace:'':'a'}", "template_bad_argument", 3),
        ("{n|truncate}", "template_bad_argument", 3),
        ("a {n", "template_unclosed_brace", 2),
        ("a {n|default:'}", "template_unclosed_brace", 2),
        ("a } b", "template_stray_brace", 2),
        ("a {/}", "template_stray_end", 2),
        ("ab {?y}{n}", "template_unclosed_condition", 3),
        ("{?y}" * 30, "template_too_deep", 80),
    ],
)
def test_template_error_has_code_and_position(template: str, code: str, position: int) -> None:
    with pytest.raises(AppError) as refused:
        render(template, MOVIE)
    assert (refused.value.code, refused.value.inputs["position"]) == (code, position)


def test_template_length_is_limited() -> None:
    with pytest.raises(AppError, match="template_too_long"):
        render("x" * 2001, MOVIE)


def test_replace_cannot_exhaust_memory() -> None:
    bomb = "{n" + "|replace:'i':'iiiiiiiiiiiiiiiiiiii'" * 50 + "}"
    assert len(render(bomb, MOVIE)) < 256
