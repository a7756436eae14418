import base64
from pathlib import Path

import pytest
from click.testing import CliRunner

from quartet.cli import main
from quartet.kernel.settings import SettingsError
from quartet.media.app import SERVICE
from quartet.media.settings import MediaSettings, prepare
from tests.client import client_of

pytestmark = pytest.mark.anyio

TOKEN = "an access token"


def basic(text: str) -> dict[str, str]:
    return {"authorization": "Basic " + base64.b64encode(text.encode()).decode()}


async def test_local_access_without_token(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        assert (await client.get("/api/system")).status_code == 200
        expected = {"loginRequired": False, "loggedIn": True, "user": None}
        assert (await client.get("/api/session")).json() == expected


async def test_bearer_and_basic(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, token=TOKEN) as client:
        assert await client.code("GET", "/api/system") == (401, "signed_out")
        for headers in (
            {"authorization": f"Bearer {TOKEN}"},
            {"authorization": f"bearer {TOKEN}"},
            basic(f"anyone:{TOKEN}"),
            basic(f":{TOKEN}"),
        ):
            assert (await client.get("/api/system", headers=headers)).status_code == 200


# Wrong case of the token, Basic without a colon, broken base64.
@pytest.mark.parametrize(
    "headers",
    [
        {"authorization": f"Bearer {TOKEN.upper()}"},
        {"authorization": f"Bearer {TOKEN} "[:-2]},
        {"authorization": "Basic !!!"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        basic(TOKEN),
        basic(f"{TOKEN}:"),
    ],
)
async def test_invalid_credentials_are_refused(tmp_path: Path, headers: dict[str, str]) -> None:
    async with client_of(SERVICE, tmp_path, token=TOKEN) as client:
        assert (await client.get("/api/system", headers=headers)).status_code == 401


async def test_login_in_browser(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, token=TOKEN) as client:
        wrong = {"token": "wrong"}
        assert await client.code("POST", "/api/login", json=wrong) == (401, "wrong_token")
        assert (await client.post("/api/login", json={"token": TOKEN})).status_code == 204
        assert (await client.get("/api/system")).status_code == 200
        assert (await client.post("/api/logout")).status_code == 204
        assert await client.code("GET", "/api/system") == (401, "signed_out")


async def test_new_token_ends_old_sessions(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, token=TOKEN) as client:
        await client.post("/api/login", json={"token": TOKEN})
        cookies = dict(client.cookies)
    async with client_of(SERVICE, tmp_path, token="a new token") as client:
        client.cookies.update(cookies)
        assert await client.code("GET", "/api/system") == (401, "signed_out")


async def test_wrong_tokens_are_throttled_but_never_lock_out_correct_one(tmp_path: Path) -> None:
    wrong, correct = ({"authorization": f"Bearer {token}"} for token in ("wrong", TOKEN))
    async with client_of(SERVICE, tmp_path, token=TOKEN) as client:
        for _ in range(10):
            expected = (401, "wrong_token")
            assert await client.code("GET", "/api/system", headers=wrong) == expected
        expected = (429, "too_many_attempts")
        assert await client.code("GET", "/api/system", headers=wrong) == expected
        assert await client.code("POST", "/api/login", json={"token": "wrong"}) == expected
        assert (await client.get("/api/system", headers=correct)).status_code == 200
        assert (await client.post("/api/login", json={"token": TOKEN})).status_code == 204


PROXY = {"auth_header": "Remote-User", "trusted_proxies": ("10.0.0.0/8", "::1")}
VOUCHED = {"remote-user": "ada"}


@pytest.mark.parametrize("peer", ["10.1.2.3", "::ffff:10.1.2.3", "::1"])
async def test_trusted_proxy_sets_user(tmp_path: Path, peer: str) -> None:
    async with client_of(SERVICE, tmp_path, peer=peer, token=TOKEN, **PROXY) as client:
        assert (await client.get("/api/system", headers=VOUCHED)).status_code == 200
        assert (await client.get("/api/session", headers=VOUCHED)).json()["user"] == "ada"


# The header from an untrusted address, and X-Forwarded-For tricks.
@pytest.mark.parametrize("peer", ["192.0.2.1", "11.0.0.1", "::ffff:192.0.2.1"])
@pytest.mark.parametrize("forwarded", [None, "10.1.2.3", "::1, 10.1.2.3"])
async def test_header_from_untrusted_address_is_ignored(
    tmp_path: Path, peer: str, forwarded: str | None
) -> None:
    headers = VOUCHED | ({"x-forwarded-for": forwarded} if forwarded else {})
    async with client_of(SERVICE, tmp_path, peer=peer, token=TOKEN, **PROXY) as client:
        assert await client.code("GET", "/api/system", headers=headers) == (401, "signed_out")


async def test_proxy_without_user_header_is_refused(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, peer="10.1.2.3", token=None, **PROXY) as client:
        assert await client.code("GET", "/api/system") == (401, "signed_out")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.9.1"])
def test_loopback_needs_no_token(host: str) -> None:
    prepare(MediaSettings(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "media.example.org", ""])
def test_public_address_needs_token(host: str) -> None:
    with pytest.raises(SettingsError, match="APP_TOKEN"):
        prepare(MediaSettings(host=host))
    with pytest.raises(SettingsError, match="16 characters"):
        prepare(MediaSettings(host=host, token="x" * 15))
    prepare(MediaSettings(host=host, token="x" * 16))


def test_short_token_is_accepted_on_loopback() -> None:
    prepare(MediaSettings(token="short"))


async def test_locked_out_admin_regains_access_with_one_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APP_TOKEN", TOKEN)
    shown = CliRunner().invoke(main, ["media", "show-token"])
    async with client_of(SERVICE, tmp_path, token=TOKEN) as client:
        for _ in range(11):
            answer = await client.post("/api/login", json={"token": "wrong"})
        assert answer.status_code == 429
        answer = await client.post("/api/login", json={"token": shown.output.strip()})
        assert answer.status_code == 204


def test_show_token_explains_that_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APP_TOKEN", raising=False)
    shown = CliRunner().invoke(main, ["media", "show-token"])
    assert shown.exit_code == 1
    assert "no APP_TOKEN is set" in shown.output
