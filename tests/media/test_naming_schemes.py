"""Import of naming schemes of other programs, with the examples of their documentation."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from quartet.cli import main
from quartet.kernel.errors import AppError
from quartet.media.app import SERVICE
from quartet.media.naming.examples import examples
from quartet.media.naming.render import render
from quartet.media.naming.schemes.translate import translate_scheme
from quartet.media.naming.types import ImportedFormat, Product, SchemeImport
from quartet.media.types import Kind
from tests.client import client_of


def translated(text: str, product: Product | None = None) -> ImportedFormat:
    return translate_scheme(SchemeImport(text=text, product=product))


def rendered(text: str, example: int = 0) -> str:
    found = translated(text)
    return render(found.template, examples(found.kind)[example][1])


FILEBOT = {
    "{n} ({y})/Season {s00}/{n} - {s00e00} - {t}": "{n} ({y})/Season {s00}/{n} - {s00e00} - {t}",
    "{n} - {s}x{e.pad(2)} - {t}": "{n} - {sxe} - {t}",
    "{n} - S{s.pad(2)}E{e.pad(2)}": "{n} - {s00e00}",
    "{n}{' ('+y+')'}": "{n}{?y} ({y}){/}",
    '{n}{" CD$pi"}': "{n}{?part} CD{part}{/}",
    '{n}{if (pi) " CD$pi" else " (one)"}': "{n}{?part} CD{part}{/}{!part} (one){/}",
    "{n}{pi ? ' CD'+pi : ''}": "{n}{?part} CD{part}{/}",
    "{n.upper().space('.')}": "{n|upper|space:'.'}",
    "{n.replaceAll(/\\s/, '_')}": "{n|space:'_'}",
    "{n.replaceAll(/[:]/, '')} {d}": "{n} {d}",
    "{n.removeAll(/\\./)}": "{n|replace:'.':''}",
    "{n[0]}/{n.truncate(20)}": "{n|first}/{n|truncate:20}",
    "{any{group}{source}{'none'}} {n}": (
        "{?group}{group}{/}{!group}{?source}{source}{/}{!source}none{/}{/} {n}"
    ),
    "{n} {group ?: 'none'}": "{n} {?group}{group}{/}{!group}none{/}",
    '{n}{" [$vf, $vc]"}': "{n}{?vf}{?vc} [{vf}, {vc}]{/}{/}",
    '{n}{" ${vf.lower()}"}': "{n}{?vf} {vf|lower}{/}",
    "{ny}/{ny}": "{n}{?y} ({y}){/}/{n}{?y} ({y}){/}",
    "{n} \\{tmdb-{tmdbid}\\}": "{n} \\{tmdb-{tmdb}\\}",
    "{n} {absolute.pad(3)}": "{n} {abs}",
    "{az}/{n.sortName('$2, $1')}": "{n|sort|first}/{n|sort}",
    "{n.sortInitial()}/{collection}/{genre}": "{n|sort|first}/{collection}/{genre}",
}


@pytest.mark.parametrize("scheme", FILEBOT)
def test_filebot_expression_is_translated(scheme: str) -> None:
    found = translated(scheme)
    assert (found.product, found.template) == ("filebot", FILEBOT[scheme])


def test_filebot_preset_is_ours() -> None:
    assert rendered("{plex}") == (
        "Mission - Impossible (1996) {tmdb-954}/Mission - Impossible (1996) {tmdb-954}.mkv"
    )


@pytest.mark.parametrize(
    ("scheme", "template", "problems"),
    [
        ("{n} {director}", "{n} ", [("{director}", "dropped")]),
        ("{n}{\" by $director\"}", "{n}", [("{director}", "dropped")]),
        ("{n.sortName()}", "{n}", [(".sortName()", "dropped")]),
        ("{n.replaceAll(/[^a-z]/, '')}", "{n}", [(".replaceAll()", "dropped")]),
        ("{n} {es.join('-')}", "{n} {e}", [("{es}", "approximated"), (".join()", "dropped")]),
        (
            "{n}/{episode.special ? 'Specials' : 'Season '+s}/{t}",
            "{n}/{?s}Season {s}{/}/{t}",
            [("{episode.special}", "dropped")],
        ),
        (
            "{n} {genres.each{ it.upper() }}",
            "{n} ",
            [("{genres.each{ it.upper() }}", "dropped")],
        ),
        (
            "{Movie Title} {[Custom Formats]}{MediaInfo SubtitleLanguages}",
            "{n} ",
            [("{[Custom Formats]}", "dropped"), ("{MediaInfo SubtitleLanguages}", "dropped")],
        ),
        ("{Series TitleThe} {Quality.Title}",
         "{n|sort} {source|space:'.'}{?vf}-{vf|space:'.'}{/}", []),
        ("{Movie CollectionThe}/{Movie TitleFirstCharacter}/{Movie Collection}",
         "{collection|sort}/{n|sort|first}/{collection}", []),
        ("${title} ${movieSet.title}${if year=1999}x${end}", "{n} {collection}",
         [("${if year=1999}", "dropped")]),
        ("${if movieSet}${movieSet}/${end}${titleSortable}",
         "{?collection}{collection}/{/}{n|sort}", []),
    ],
)  # fmt: skip
def test_untranslated_parts_are_listed(
    scheme: str, template: str, problems: list[tuple[str, str]]
) -> None:
    found = translated(scheme)
    assert found.template == template
    assert [(one.text, one.problem) for one in found.problems] == problems


@pytest.mark.parametrize(
    ("scheme", "kind", "template"),
    [
        ("${title} ${- ,edition,} (${year})", "movie", "{n} {?edition}- {edition}{/} {?y}({y}){/}"),
        ("${title[0]}/${title;upper}", "movie", "{n|first}/{n|upper}"),
        ("${title[0,2]}/${originalTitle}", "movie", "{n|truncate:2}/{orig}"),
        (
            "${title} ${if hdr}HDR${else}SDR${end}",
            "movie",
            "{n} {?hdr}HDR{/}{!hdr}SDR{/}",
        ),
        (
            "${title} ${mediaSource(unknown)}",
            "movie",
            "{n} {?source}{source}{/}{!source}unknown{/}",
        ),
        (
            "${showTitle} (${showYear})\nSeason ${seasonNr}\n"
            "${showTitle} - S${seasonNr2}E${episodeNr2} - ${title}",
            "series",
            "{n} {?y}({y}){/}/Season {s}/{n} - {s00e00} - {t}",
        ),
    ],
)
def test_tinymediamanager_pattern_is_translated(scheme: str, kind: Kind, template: str) -> None:
    found = translated(scheme)
    assert (found.product, found.kind, found.template) == ("tinymediamanager", kind, template)
    assert found.problems == []


@pytest.mark.parametrize(
    ("scheme", "product", "template"),
    [
        (
            "{Series Title}\nSeason {season}\n{Series Title} - S{season:00}E{episode:00} - "
            "{Episode Title} {Quality Title}",
            "sonarr",
            "{n}/Season {s}/{n} - {s00e00} - {t} {source}{?vf}-{vf}{/}",
        ),
        (
            "{Series.Title}.{season:0}x{episode:00}.{Episode.Title:30}",
            "sonarr",
            "{n|space:'.'}.{sxe}.{t|space:'.'|truncate:30}",
        ),
        ("{Series Title} {absolute:000} {Air Date}", "sonarr", "{n} {abs} {d|replace:'-':' '}"),
        ("{SERIES TITLE} {Air-Date}", "sonarr", "{n|upper} {d}"),
        ("{Movie CleanTitle} {(Release Year)}", "radarr", "{n} {?y}({y}){/}"),
        (
            "{Movie Title} {imdb-{ImdbId}} {edition-{Edition Tags}}{[Mediainfo AudioCodec}"
            "{ Mediainfo AudioChannels]}{-Release Group}",
            "radarr",
            "{n} {?imdb}\\{imdb-{imdb}\\}{/} {?edition}\\{edition-{edition}\\}{/}{?ac}[{ac}{/}"
            "{?af} {af}]{/}{?group}-{group}{/}",
        ),
        ("{Movie Title} - {{Edition Tags}}", "radarr", "{n} - {?edition}\\{{edition}\\}{/}"),
    ],
)  # fmt: skip
def test_sonarr_and_radarr_tokens_are_translated(
    scheme: str, product: Product, template: str
) -> None:
    found = translated(scheme)
    assert (found.product, found.template, found.problems) == (product, template, [])


def test_imported_scheme_names_files_like_the_other_program() -> None:
    assert rendered(
        "{Movie CleanTitle} ({Release Year})\n{Movie CleanTitle} {(Release Year)} {tmdb-{TmdbId}} "
        "{edition-{Edition Tags}} {[MediaInfo 3D]}{[Quality Full]}{[Mediainfo AudioCodec}"
        "{ Mediainfo AudioChannels]}{[MediaInfo VideoDynamicRangeType]}{[Mediainfo VideoCodec]}"
        "{-Release Group}",
        1,
    ) == (
        "Blade Runner (1982)/Blade Runner (1982) {tmdb-78} {edition-Final Cut} [BluRay-1080p]"
        "[DTS-HD 5.1][HDR10][H.265]-GROUP.mkv"
    )
    assert rendered("{n}/{'Season '+s}/{n} - {s00e00}{' - '+t}", 2).startswith("The Daily Show/")


@pytest.mark.parametrize("scheme", [" \n ", "{director}", "{Original Title}", "${note}"])
def test_scheme_without_known_parts_is_refused(scheme: str) -> None:
    with pytest.raises(AppError) as refused:
        translated(scheme)
    assert refused.value.code == "scheme_not_translated"


@pytest.mark.parametrize(
    "scheme",
    [
        "{" * 900 + "n",
        "{" + "(" * 1900 + "n}",
        "{" + "!" * 1900 + "n}",
        "{" + "if (n) " * 280 + "n}",
        "{any" + '{"$n$y$s"}' * 190 + "}",
        "{n" + ".upper()" * 240 + "}",
        "{n '}",
        "${if title}" * 180,
        "{{{[(Movie Title",
    ],
)
def test_hostile_scheme_ends_soon(scheme: str) -> None:
    try:
        found = translated(scheme)
    except AppError as error:
        assert error.code in ("scheme_not_translated", "template_too_long", "template_too_deep")
    else:
        assert len(found.template) <= 500


@pytest.mark.anyio
async def test_import_route_returns_template_and_problems(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        path = "/api/formats/import"
        answer = await client.post(path, json={"text": "{n} - {s00e00} {director}"})
        assert answer.json() == {
            "product": "filebot",
            "kind": "series",
            "template": "{n} - {s00e00} ",
            "problems": [{"text": "{director}", "problem": "dropped"}],
        }
        chosen = {"text": "${title}", "kind": "series"}
        assert (await client.post(path, json=chosen)).json()["template"] == "{t}"
        refused = await client.code("POST", path, json={"text": "{director}"})
        assert refused == (400, "scheme_not_translated")


def test_import_command_prints_the_template() -> None:
    command = ["media", "import-format", "{n} {director}"]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, result.stdout.strip()) == (1, "{n}")
    assert "dropped: {director}" in result.stderr
    assert CliRunner().invoke(main, ["media", "import-format", "{n}"]).exit_code == 0
    assert CliRunner().invoke(main, ["media", "import-format", "{x}"]).exit_code == 2
