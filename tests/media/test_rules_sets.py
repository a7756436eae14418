from pathlib import Path

import pytest
import yaml

from quartet.kernel.errors import AppError
from quartet.media.app import SERVICE
from quartet.media.rules.yaml_files import from_yaml
from tests.client import Client, client_of
from tests.media.video_files import make_video

pytestmark = pytest.mark.anyio

TIDY = {
    "name": "Tidy",
    "rules": [
        {"type": "separators", "separator": " "},
        {"type": "case", "to": "title"},
        {"type": "list", "names": ["über"]},
    ],
}


async def test_rule_sets_are_saved_changed_and_removed(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        added = (await client.post("/api/rule-sets", json=TIDY)).json()
        assert added["rules"][1] == {
            "type": "case",
            "id": "",
            "enabled": True,
            "target": "name",
            "appliesTo": "all",
            "to": "title",
        }
        assert await client.code("POST", "/api/rule-sets", json=TIDY) == (409, "rule_set_known")
        path = f"/api/rule-sets/{added['id']}"
        changed = await client.put(path, json={"name": "Tidy", "rules": []})
        assert changed.json()["rules"] == []
        assert (await client.get("/api/rule-sets")).json() == [changed.json()]
        assert (await client.delete(path)).status_code == 204
        for id in (added["id"], 10**30):
            path = f"/api/rule-sets/{id}"
            assert await client.code("GET", f"{path}/yaml") == (404, "rule_set_not_found")
            assert await client.code("PUT", path, json=TIDY) == (404, "rule_set_not_found")
            assert await client.code("DELETE", path) == (404, "rule_set_not_found")


async def test_yaml_export_and_import(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        added = (await client.post("/api/rule-sets", json=TIDY)).json()
        answer = await client.get(f"/api/rule-sets/{added['id']}/yaml")
        assert answer.headers["content-type"].startswith("application/yaml")
        assert yaml.safe_load(answer.text)["quartet_rules"] == 1
        assert "über" in answer.text
        text = answer.text.replace("Tidy", "Copy")
        copy = (await client.post("/api/rule-sets/import", json={"yaml": text})).json()
        assert copy["name"] == "Copy"
        assert copy["rules"] == added["rules"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "rules_file_invalid"),
        ("a: [", "rules_file_invalid"),
        ("- 1", "rules_file_invalid"),
        ("!!python/object:os.system {}", "rules_file_invalid"),
        ("name: x\nrules: []", "rules_version_unknown"),
        ("quartet_rules: 9\nname: x\nrules: []", "rules_version_unknown"),
        ("quartet_rules: 1\nname: x\nrules: [{type: boom}]", "rules_invalid"),
        ("quartet_rules: 1\nname: x\nrules: 5", "rules_invalid"),
        ("quartet_rules: 1\na: &a [x, x]\nb: &b [*a, *a]\nrules: *b", "rules_file_invalid"),
        ("[" * 5000, "rules_file_invalid"),
        # Without a limit, 400,000 levels take half an hour.
        (f"quartet_rules: 1\nrules: {'[' * 100}{']' * 100}", "rules_file_invalid"),
        ("\x00", "rules_file_invalid"),
    ],
)
def test_invalid_yaml_is_refused(text: str, code: str) -> None:
    with pytest.raises(AppError) as refused:
        from_yaml(text)
    assert refused.value.code == code


async def preview(client: Client, rules: list[object], *paths: Path) -> object:
    body = {"rules": rules, "paths": [str(path) for path in paths]}
    return (await client.post("/api/rules/preview", json=body)).json()


async def test_preview_of_real_files(tmp_path: Path) -> None:
    files = tmp_path / "files"
    (files / "a_folder").mkdir(parents=True)
    (files / "a_file.txt").touch()
    make_video(files / "clip.mkv", tags={"title": "A Clip"})
    async with client_of(SERVICE, tmp_path / "data", roots=(str(files),)) as client:
        rules: list[object] = [{"type": "separators"}, {"type": "metadata", "template": "{title}"}]
        paths = [files / "a_folder", files / "a_file.txt", files / "clip.mkv"]
        assert await preview(client, rules, *paths) == {
            "files": [
                {
                    "path": str(paths[0]),
                    "name": "a folder",
                    "steps": ["a folder", "a folder"],
                    "conflict": False,
                },
                {
                    "path": str(paths[1]),
                    "name": "a file.txt",
                    "steps": ["a file.txt", "a file.txt"],
                    "conflict": False,
                },
                {
                    "path": str(paths[2]),
                    "name": "A Clip.mkv",
                    "steps": ["clip.mkv", "A Clip.mkv"],
                    "conflict": False,
                },
            ],
            "error": None,
        }


async def test_preview_outside_is_refused(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "link").symlink_to("/etc/passwd")
    async with client_of(SERVICE, tmp_path / "data", roots=(str(files),)) as client:
        for path in ("/etc/passwd", f"{files}/../x", str(files), "relative", "/nowhere/at/all"):
            body = {"rules": [], "paths": [path]}
            answer = await client.code("POST", "/api/rules/preview", json=body)
            assert answer == (403, "outside_folders"), path
        body = {"rules": [], "paths": [str(files / "link")]}
        assert await client.code("POST", "/api/rules/preview", json=body) == (400, "not_a_file")
