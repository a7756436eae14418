"""Plugins are found, listed and reloaded; a broken one does not affect the others."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quartet.downloads.hosters.loader import PluginLoader
from quartet.downloads.hosters.workers import Workers
from tests.client import Client
from tests.downloads.api_calls import add, downloads, until_all
from tests.downloads.plugins import LINK, plugin_text, put_plugin, threads_end
from tests.downloads.server import FileServer

pytestmark = pytest.mark.anyio

RESOLVE = """
    async def resolve(self, link, ctx):
        return File("http://127.0.0.1:9/" + link.parts["id"])
"""
GOOD = plugin_text(RESOLVE)


async def listed(ada: Client) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return plugins by id and errors by file."""
    answer = await ada.post("/api/plugins/reload")
    assert answer.status_code == 200
    assert (await ada.get("/api/plugins")).json() == answer.json()
    shown = answer.json()
    return (
        {each["id"]: each for each in shown["plugins"]},
        {each["file"]: each["error"] for each in shown["errors"]},
    )


async def test_builtin_plugins_are_listed(ada: Client, tmp_path: Path) -> None:
    plugins, errors = await listed(ada)
    assert errors == {}
    assert (await ada.get("/api/plugins")).json()["folder"] == str(tmp_path / "plugins")
    pixeldrain = plugins["pixeldrain"]
    assert pixeldrain["builtin"] and pixeldrain["hasCheck"] and not pixeldrain["accountRequired"]
    assert pixeldrain["account"]["secretLabel"] == {"de": "API-Schlüssel", "en": "API key"}
    assert pixeldrain["matches"][0]["flags"] == "i"
    assert plugins["realdebrid"]["multi"] and plugins["realdebrid"]["hasCheckAccount"]


async def test_session_is_required(ada: Client) -> None:
    ada.cookies.clear()
    assert (await ada.get("/api/plugins")).status_code == 401
    assert (await ada.get("/api/accounts")).status_code == 401


BROKEN = {
    "syntax.py": "def broken(:",
    "raises.py": "raise ValueError('no')",
    "leaves.py": "import sys; sys.exit(3)",
    "interrupts.py": "raise KeyboardInterrupt",
    "empty.py": "",
    "unprintable.py": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E",
    "mute.py": plugin_text("pass", id="mute"),
    "wrong-id.py": plugin_text(RESOLVE, id="No Id!"),
    "wrong-type.py": plugin_text("matches = 5", RESOLVE, id="wrong-type"),
    "wrong-regex.py": plugin_text("matches = ['(']", RESOLVE, id="wrong-regex"),
    "wrong-settings.py": plugin_text("settings = {'a': 1}", RESOLVE, id="wrong-settings"),
    "latin.py": "\udce4",
}


async def test_broken_files_are_listed_and_others_load(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, GOOD)
    for file, text in BROKEN.items():
        path = tmp_path / "plugins" / file
        path.write_bytes(text.replace("\t", "    ").encode("utf-8", "surrogateescape"))
    plugins, errors = await listed(ada)
    assert {"demo", "pixeldrain", "realdebrid"} <= plugins.keys()
    assert errors.keys() == BROKEN.keys()
    assert {error["code"] for error in errors.values()} == {"plugin_unloadable"}
    reasons = {file: error["inputs"]["reason"].partition(":")[0] for file, error in errors.items()}
    assert reasons["syntax.py"] == reasons["latin.py"] == "SyntaxError"
    assert reasons["wrong-type.py"] == reasons["wrong-settings.py"] == "ValidationError"
    assert reasons["unprintable.py"] == "E"


async def test_second_plugin_with_same_id_is_rejected(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, GOOD, "a.py")
    put_plugin(tmp_path, GOOD, "b.py")
    plugins, errors = await listed(ada)
    assert plugins["demo"]["file"] == "a.py"
    assert errors["b.py"] == {"code": "plugin_twice", "inputs": {"id": "demo", "file": "a.py"}}


async def test_user_plugin_overrides_builtin_plugin(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, plugin_text("version = '0.9'", RESOLVE, id="pixeldrain"), "mine.py")
    plugins, errors = await listed(ada)
    mine = plugins["pixeldrain"]
    assert (mine["builtin"], mine["file"], errors) == (False, "mine.py", {})
    assert mine["replaces"] == {"version": "1.0", "file": "builtin/pixeldrain", "newer": True}
    (tmp_path / "plugins" / "mine.py").unlink()
    plugins, _ = await listed(ada)
    assert plugins["pixeldrain"]["builtin"] and plugins["pixeldrain"]["replaces"] is None


async def test_folder_is_loaded_as_plugin(ada: Client, tmp_path: Path) -> None:
    text = plugin_text(RESOLVE).replace("import asyncio", "from .words import NAME\nimport asyncio")
    put_plugin(tmp_path, text.replace('"Demo"', "NAME"), "demo/__init__.py")
    put_plugin(tmp_path, "NAME = 'From afar'", "demo/words.py")
    put_plugin(tmp_path, "raise ValueError", "_hidden.py")
    plugins, errors = await listed(ada)
    assert (plugins["demo"]["name"], errors) == ("From afar", {})


async def test_invalid_settings_are_reported(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, GOOD)
    for text in ("[demo]\nother = 'x'", "[nobody]\nbase = 'x'", "not toml", "a = 1"):
        (tmp_path / "plugins" / "settings.toml").write_text(text)
        plugins, errors = await listed(ada)
        assert "demo" in plugins
        assert errors.keys() == {"settings.toml"}


@pytest.mark.parametrize("body", ["import time; time.sleep(4)", "while True: pass"])
async def test_endless_import_does_not_block_others(tmp_path: Path, body: str) -> None:
    put_plugin(tmp_path, body, "endless.py")
    put_plugin(tmp_path, GOOD)
    async with threads_end(), asyncio.timeout(60):
        loaded = await PluginLoader(tmp_path / "plugins", Workers(grace=0.1), seconds=2).load_all()
    assert "demo" in loaded.plugins
    assert [error.file for error in loaded.errors] == ["endless.py"]


async def test_links_are_assigned_to_plugins(ada: Client, tmp_path: Path) -> None:
    put_plugin(tmp_path, GOOD)
    await add(
        ada,
        LINK,
        "https://DEMO.invalid/f/two",
        "https://demo.invalid/other",
        "http://x.invalid/f/a",
    )
    assert [each["pluginId"] for each in await downloads(ada)] == ["demo", "demo", None, None]


async def test_failing_match_is_ignored(ada: Client, tmp_path: Path) -> None:
    body = """
        def match(self, url):
            raise KeyError(url)
    """
    put_plugin(tmp_path, plugin_text(body, RESOLVE))
    await add(ada, LINK)
    assert [each["pluginId"] for each in await downloads(ada)] == [None]


async def test_reload_during_download(ada: Client, tmp_path: Path, server: FileServer) -> None:
    address = server.put("real.bin", b"x" * 500_000)
    body = f"""
        async def resolve(self, link, ctx):
            return File("{address}", name=link.parts["id"] + ".bin")
    """
    put_plugin(tmp_path, plugin_text(body))
    server.open.clear()
    await add(ada, LINK, start=True)
    await server.waiting.wait()
    put_plugin(tmp_path, plugin_text(body.replace('.bin")', '.new")')))
    plugins, errors = await listed(ada)
    assert "demo" in plugins and not errors
    server.open.set()
    [first] = await until_all(ada, "finished")
    await add(ada, "https://demo.invalid/f/two", start=True)
    [first, second] = await until_all(ada, "finished")
    assert (first["name"], second["name"]) == ("one.bin", "two.new")
