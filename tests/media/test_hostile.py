"""Hostile input over the network: titles, targets, bodies, patterns and names."""

import json
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quartet.media.names.parse import parse
from quartet.media.naming.render import render
from quartet.media.naming.types import Facts
from quartet.media.rules.apply import new_names
from quartet.media.rules.types import File, Rule
from tests.media.job_harness import job_harness_at
from tests.media.rule_patterns import PATTERNS

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}
EVIL = ["../../etc/passwd", "/etc/passwd", "..", "a\x00b", "a/../../b", "\u202egnp.exe", "\ud800"]


@pytest.mark.parametrize("title", EVIL)
def test_catalog_title_cannot_leave_its_folder(title: str) -> None:
    facts = Facts(kind="movie", title=title, edition=title, group=title, extension="mkv")
    path = render("{n}/{edition}/{group}", facts)
    parts = path.split("/")
    # An empty part makes no folder.
    assert len(parts) in (1, 3) and not {"", ".", ".."} & set(parts)
    assert not set("\x00\\") & set(path) and path.isprintable()


async def test_manual_target_cannot_leave_its_folder(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for name in EVIL:
            harness.file("Heat.1995.mkv")
            id = (await harness.start(action="move"))["jobId"]
            (item,) = await harness.items(id)
            # Escaped manually, because a lone surrogate is not UTF-8.
            body = json.dumps({"itemIds": [item["id"]], "targetPath": name})
            path = f"/api/jobs/{id}/items"
            answer = await harness.client.patch(path, content=body, headers=JSON)
            assert answer.status_code < 500
            if answer.is_success:
                await harness.execute(id)
            for found in tmp_path.rglob("*.mkv"):
                inside = [found.is_relative_to(top) for top in (harness.downloads, harness.films)]
                assert any(inside), (name, found)


async def test_invalid_thresholds_are_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        harness.release()
        for threshold in ("NaN", "Infinity", "-1", "1e309", "2", '"nan"'):
            body = f'{{"path": "{harness.downloads}", "threshold": {threshold}}}'
            answer = await harness.client.post("/api/jobs", content=body, headers=JSON)
            assert answer.status_code == 400, (threshold, answer.text)
            form = {"path": str(harness.downloads), "threshold": threshold.strip('"')}
            answer = await harness.client.post("/api/jobs", data=form)
            assert answer.status_code == 400, (threshold, answer.text)
        assert (await harness.ask("GET", "/api/jobs"))["jobs"] == []


async def test_invalid_ids_are_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for id in ("1e309", "..%2f..", "0", "-1", "9" * 30, "%00", "1;drop", "\u0661"):
            for path in (f"/api/jobs/{id}", f"/api/jobs/{id}/items", f"/api/watch-folders/{id}"):
                answer = await harness.client.get(path)
                assert answer.status_code in (400, 404, 405), (path, answer.text)


async def test_body_of_ten_megabytes_is_refused(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        body = {"path": str(harness.downloads), "target": "x" * 10_000_000}
        answer = await harness.client.post("/api/jobs", json=body)
        assert answer.status_code in (400, 413)


def test_hundred_rules_are_applied_to_many_files() -> None:
    given: list[dict[str, Any]] = [
        {"type": "replace", "find": f"{number:02}", "replace": f"{number + 1:02}"}
        for number in range(100)
    ]
    files = [File(name=f"file {number:05}.txt") for number in range(2000)]
    names = new_names(msgspec.convert(given, list[Rule]), files, PATTERNS)
    assert len(names) == len(files)


@pytest.mark.parametrize("depth", [20, 60])
async def test_exploding_pattern_is_refused_by_the_rules_preview(
    tmp_path: Path, depth: int, address_space_limit: None
) -> None:
    find = "a"
    for _ in range(depth):
        find = f"({find}{{1,50}})"
    rule = {"type": "replace", "find": find, "regex": True}
    async with job_harness_at(tmp_path) as harness:
        (harness.downloads / "aaa.txt").touch()
        body = {"rules": [rule], "paths": [str(harness.downloads / "aaa.txt")]}
        answer = (await harness.client.post("/api/rules/preview", json=body)).json()
    assert answer["error"]["code"] in ("pattern_too_large", "pattern_too_slow")


@pytest.fixture
def address_space_limit() -> Iterator[None]:
    """Let a pattern that escapes its limits fail with a MemoryError instead of using it all."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


async def test_deeply_nested_template(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for depth in (10, 70, 285):
            template = "{?n}" * depth + "x" + "{/}" * depth
            body = {"kind": "movie", "template": template}
            answer = await harness.client.post("/api/formats/preview", json=body)
            assert answer.status_code in (200, 400)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("1883.S01E05.mkv", "1883"),
        ("90.Day.Fiance.S02E07.mkv", "90 Day Fiance"),
        ("Mob Psycho 100 - 09.mkv", "Mob Psycho 100"),
        ("Blade Runner 2049 (2017).mkv", "Blade Runner 2049"),
        ("The 100 S01E02.mkv", "The 100"),
        ("Show.S01E02.3.Kings.mkv", "Show"),
        ("2012 (2009).mkv", "2012"),
        ("24 S01E24.mkv", "24"),
    ],
)
def test_titles_with_numbers(name: str, title: str) -> None:
    assert parse(name).title == title


async def test_errors_do_not_reveal_files_outside(tmp_path: Path) -> None:
    async with job_harness_at(tmp_path) as harness:
        for path in ("/etc/passwd", "/etc/no-such-file", "/root"):
            refused = await harness.client.code("POST", "/api/jobs", json={"path": path})
            assert refused == (403, "outside_folders")
