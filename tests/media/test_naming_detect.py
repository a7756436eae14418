import pytest

from quartet.media.naming.detect import detect
from quartet.media.naming.presets import PRESETS
from quartet.media.naming.render import render
from quartet.media.naming.types import Facts


@pytest.mark.parametrize(
    ("path", "kind", "template"),
    [
        ("Alien (1979)/Alien (1979).mkv", "movie", "{n}{?y} ({y}){/}/{n}{?y} ({y}){/}"),
        (
            "Alien (1979) [tmdbid-348]/Alien (1979) [tmdbid-348].mkv",
            "movie",
            "{n}{?y} ({y}){/} [tmdbid-{tmdb}]/{n}{?y} ({y}){/} [tmdbid-{tmdb}]",
        ),
        ("Alien.1979.1080p.mkv", "movie", "{n}{?y}.{y}{/}.{vf}"),
        (
            "Firefly/Season 01/Firefly - S01E05 - Safe.mkv",
            "series",
            "{n}/Season {s00}/{n} - {s00e00}{?t} - {t}{/}",
        ),
        ("Firefly/Staffel 1/1x05 Safe.mkv", "series", "{n}/Staffel {s}/{sxe}{?t} {t}{/}"),
        (
            "The.Big.Show.s01e05.An.End.720p.mkv",
            "series",
            "{n|space:'.'}.{s00e00|lower}{?t}.{t|space:'.'}{/}.{vf}",
        ),
        ("Show/2024-02-12 - A Guest.mkv", "series", "{n}/{d}{?t} - {t}{/}"),
    ],
)
def test_template_of_one_file(path: str, kind: str, template: str) -> None:
    found = detect([path])
    assert found
    assert (found.kind, found.template) == (kind, template)


def test_most_common_template_wins() -> None:
    paths = ["A (2001)/A (2001).mkv", "B (2002)/B (2002).mkv", "c.avi", "B (2002)/poster.jpg"]
    found = detect(paths)
    assert found
    assert (found.checked, found.agreed) == (3, 2)
    assert detect(["readme.txt"]) is None


# Only films and series are detected.
VIDEOS = [preset for preset in PRESETS if preset.kind in ("movie", "series")]


@pytest.mark.parametrize("preset", VIDEOS, ids=lambda preset: preset.id)
def test_detected_template_renders_the_same_names(preset: object) -> None:
    template = preset.template  # type: ignore[attr-defined]
    about = Facts(
        kind=preset.kind,  # type: ignore[attr-defined]
        title="A Long Way",
        year=1999,
        season=1,
        episodes=(2,),
        episode_titles=("To Go",),
        tmdb="5",
        tvdb="6",
        extension="mkv",
    )
    path = render(template, about)
    found = detect([path])
    assert found
    assert render(found.template, about) == path
