from pathlib import Path

import pytest

from quartet.media.app import SERVICE
from tests.client import client_of

pytestmark = pytest.mark.anyio

SHORT = {"name": "Short", "kind": "movie", "template": "{n} {y}"}


async def test_formats_are_saved_changed_and_removed(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        built_in = (await client.get("/api/formats")).json()
        videos = [one["name"] for one in built_in if one["kind"] in ("movie", "series")]
        assert set(videos) == {"Plex", "Jellyfin", "Emby", "Kodi"}
        assert {one["kind"] for one in built_in} == {"movie", "series", "music", "photos"}
        added = (await client.post("/api/formats", json=SHORT)).json()
        assert added == {"id": added["id"], "builtIn": False, **SHORT}
        path = f"/api/formats/{added['id']}"
        changed = await client.put(path, json={**SHORT, "template": "{n}"})
        assert changed.json()["template"] == "{n}"
        assert (await client.get("/api/formats")).json()[-1] == changed.json()
        assert (await client.delete(path)).status_code == 204
        assert (await client.get("/api/formats")).json() == built_in
        assert await client.code("DELETE", path) == (404, "format_not_found")
        assert await client.code("PUT", path, json=SHORT) == (404, "format_not_found")


async def test_built_in_formats_are_fixed_and_errors_not_saved(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        built_in = "/api/formats/plex-movie"
        assert await client.code("DELETE", built_in) == (409, "format_built_in")
        assert await client.code("PUT", built_in, json=SHORT) == (409, "format_built_in")
        wrong = {**SHORT, "template": "{n} {oops}"}
        answer = await client.post("/api/formats", json=wrong)
        assert answer.status_code == 400
        assert answer.json() == {
            "code": "template_unknown_token",
            "inputs": {"token": "oops", "position": 5},
        }


async def test_preview_returns_examples_or_error(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        wanted = {"template": "{n} - {s00e00}", "kind": "series"}
        shown = (await client.post("/api/formats/preview", json=wanted)).json()
        assert shown["error"] is None
        assert shown["examples"][0] == {
            "source": "firefly.s01e05.mkv",
            "path": "Firefly - S01E05.mkv",
        }
        wrong = (await client.post("/api/formats/preview", json={**wanted, "template": "{"})).json()
        assert wrong["examples"] == []
        assert wrong["error"] == {"code": "template_unclosed_brace", "inputs": {"position": 0}}


async def test_detect_from_paths(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        paths = {"paths": ["Alien (1979)/Alien (1979).mkv"]}
        found = (await client.post("/api/formats/detect", json=paths)).json()
        assert found["template"] == "{n}{?y} ({y}){/}/{n}{?y} ({y}){/}"
        none = {"paths": ["a.txt"]}
        assert await client.code("POST", "/api/formats/detect", json=none) == (400, "no_videos")


async def test_detect_reads_a_library(tmp_path: Path) -> None:
    library = tmp_path / "library"
    for name in ("Alien (1979)", "Heat (1995)"):
        (library / name).mkdir(parents=True)
        (library / name / f"{name}.mkv").touch()
        (library / name / f"{name}.srt").touch()
    (library / "loop").symlink_to(library)
    async with client_of(SERVICE, tmp_path / "data", roots=(str(library),)) as client:
        path = "/api/formats/detect"
        found = (await client.post(path, json={"folder": str(library)})).json()
        assert found["template"] == "{n}{?y} ({y}){/}/{n}{?y} ({y}){/}"
        assert (found["checked"], found["agreed"]) == (2, 2)
        for folder in ("/etc", f"{library}/.."):
            outside_error = await client.code("POST", path, json={"folder": folder})
            assert outside_error == (403, "outside_folders")
