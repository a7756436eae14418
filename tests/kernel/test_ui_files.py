from pathlib import Path

import pytest

from quartet.kernel import ui_files
from quartet.media.app import SERVICE
from tests.client import Client, client_of

pytestmark = pytest.mark.anyio

PAGE = '<!doctype html><base href="/"><title>Media</title>'
SCRIPT = "console.log('hello');" * 100


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "ui"
    (folder / "media" / "assets").mkdir(parents=True)
    (folder / "docs").mkdir()
    (folder / "media" / "index.html").write_text(PAGE)
    (folder / "media" / "theme.js").write_text("1")
    (folder / "media" / "assets" / "app-1a2b.js").write_text(SCRIPT)
    (folder / "docs" / "index.html").write_text("docs")
    (tmp_path / "secret.txt").write_text("secret")
    monkeypatch.setattr(ui_files, "UI_FOLDER", folder)
    return tmp_path


async def get(client: Client, path: str, **headers: str) -> tuple[int, str, dict[str, str]]:
    answer = await client.get(path, headers=headers)
    return answer.status_code, answer.text, dict(answer.headers)


async def test_paths_outside_api_return_page(built: Path) -> None:
    async with client_of(SERVICE, built / "data") as client:
        for path in ("/", "/index.html", "/history/7", "/a.b/c"):
            status, text, headers = await get(client, path)
            assert (status, text) == (200, PAGE)
            assert headers["cache-control"] == "no-cache"


async def test_hashed_files_are_cached_forever(built: Path) -> None:
    async with client_of(SERVICE, built / "data") as client:
        status, text, headers = await get(client, "/assets/app-1a2b.js")
        assert (status, text) == (200, SCRIPT)
        assert "immutable" in headers["cache-control"]
        assert headers["content-type"].startswith("text/javascript")
        assert headers["content-encoding"] == "gzip"
        plain = await get(client, "/assets/app-1a2b.js", **{"accept-encoding": "identity"})
        assert "content-encoding" not in plain[2]
        again = await get(client, "/assets/app-1a2b.js", **{"if-none-match": headers["etag"]})
        assert again[0] == 304


async def test_files_compressed_by_the_build_are_sent_to_browsers_that_accept_them(
    built: Path,
) -> None:
    (built / "ui" / "media" / "assets" / "app-1a2b.js.br").write_bytes(b"compressed")
    path = "/assets/app-1a2b.js"
    async with client_of(SERVICE, built / "data") as client:
        status, text, headers = await get(client, path, **{"accept-encoding": "gzip, br"})
        assert (status, text, headers["content-encoding"]) == (200, "compressed", "br")
        assert headers["content-type"].startswith("text/javascript")
        refused = await get(client, path, **{"accept-encoding": "gzip, br;q=0"})
        assert refused[2]["content-encoding"] == "gzip"
        assert (await get(client, f"{path}.br"))[0] == 404


async def test_missing_asset_is_404(built: Path) -> None:
    async with client_of(SERVICE, built / "data") as client:
        assert (await get(client, "/assets/app-old.js"))[0] == 404


async def test_assets_that_were_loaded_survive_an_update(built: Path) -> None:
    assets = built / "ui" / "media" / "assets"
    (assets / "late-3c4d.js").write_text("2")
    async with client_of(SERVICE, built / "data") as client:
        assert (await get(client, "/assets/app-1a2b.js"))[0] == 200
        for path in assets.iterdir():
            path.unlink()
        assert (await get(client, "/assets/app-1a2b.js"))[:2] == (200, SCRIPT)
        assert (await get(client, "/assets/late-3c4d.js"))[0] == 404


async def test_api_docs_are_served(built: Path) -> None:
    async with client_of(SERVICE, built / "data") as client:
        assert (await get(client, "/api/docs/index.html"))[:2] == (200, "docs")
        assert (await get(client, "/api/docs/"))[:2] == (200, "docs")


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../../secret.txt",
        "/%2e%2e/secret.txt",
        "//secret.txt",
        "/..%2fsecret.txt",
    ],
)
async def test_other_files_are_not_served(built: Path, path: str) -> None:
    async with client_of(SERVICE, built / "data") as client:
        assert "secret" not in (await client.get(path)).text


async def test_head_returns_headers_of_get(built: Path) -> None:
    async with client_of(SERVICE, built / "data") as client:
        assert (await client.head("/")).status_code == 200


async def test_missing_ui_build_returns_503(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ui_files, "UI_FOLDER", tmp_path / "nothing")
    async with client_of(SERVICE, tmp_path / "data") as client:
        assert await client.code("GET", "/") == (503, "ui_missing")
