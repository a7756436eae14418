import asyncio
import re
import socket
import sqlite3
import time
from collections.abc import Mapping
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from click.testing import CliRunner, Result

from quartet.cli import main
from quartet.kernel.diagnosis import DiagnosisLine, check_clock, diagnose, proxy_headers
from quartet.kernel.edge import DOCTOR_HEADER
from quartet.media.app import SERVICE as MEDIA
from quartet.wind.diagnosis import findings as wind_findings
from quartet.wind.settings import WindSettings
from tests.client import client_of
from tests.real_servers import free_port


def doctor(folder: Path, *services: str, **variables: str) -> Result:
    ports = {f"{each}_PORT": "0" for each in ("APP", "SYNC", "DOWNLOADS", "DOWNLOADS_TORRENT")}
    # The demo asks no catalog.
    own = {**ports, "SYNC_HUB_LISTEN": "127.0.0.1:0", "APP_DEMO": "true", **variables}
    return CliRunner(env=own).invoke(main, ["doctor", *services, "--data", str(folder)])


def media_findings(folder: Path, **settings: Any) -> dict[str, DiagnosisLine]:
    found = MEDIA.settings(data=folder, **settings)
    return {each.subject: each for each in diagnose(MEDIA, found)}


def test_doctor_in_a_container_reads_secrets_as_root_and_checks_as_its_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a-token-of-the-container")

    def drop_privileges(folders: list[Path], environ: Mapping[str, str]) -> None:
        assert (folders, environ["PUID"]) == ([], "1234")
        # As the files of root become, which its user cannot read.
        secret.unlink()
        tmp_path.chmod(0o500)

    monkeypatch.setattr("quartet.doctor.drop_privileges", drop_privileges)
    result = doctor(tmp_path, "media", PUID="1234", APP_TOKEN_FILE=str(secret))
    assert not secret.exists()
    assert "APP_TOKEN_FILE" not in result.output


def test_doctor_prints_table_and_creates_nothing(tmp_path: Path) -> None:
    result = doctor(tmp_path, "downloads", "sync", "media")
    assert result.exit_code == 0, result.output
    assert re.search(r"^sync +Syncthing +ok +v\d", result.output, re.MULTILINE)
    assert re.search(r"^media +database +ok +SQLite, empty$", result.output, re.MULTILINE)
    assert list(tmp_path.iterdir()) == []


def test_doctor_fails_if_port_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = doctor(tmp_path, "media", APP_PORT=str(taken.getsockname()[1]))
    assert result.exit_code == 1
    assert re.search(r"^media +port +error +cannot use port", result.output, re.MULTILINE)


def test_doctor_checks_other_ports_and_folders(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        click = doctor(tmp_path, "downloads", DOWNLOADS_CNL_PORT=port)
        hub = doctor(tmp_path, "sync", SYNC_HUB_LISTEN=f"127.0.0.1:{port}")
    assert click.exit_code == 0 and hub.exit_code == 1
    assert re.search(r"^downloads +Click'n'Load +warning +cannot use", click.output, re.MULTILINE)
    assert re.search(r"^sync +hub port +error +cannot use port", hub.output, re.MULTILINE)
    (tmp_path / "file").touch()
    target = str(tmp_path / "file" / "done")
    done = doctor(tmp_path, "downloads", DOWNLOADS_DONE_DIR=target, DOWNLOADS_CNL_PORT="0")
    assert re.search(r"^downloads +finished files +error +no permission", done.output, re.MULTILINE)
    assert "\nerrors: 1, warnings: " in done.output


def test_doctor_reports_invalid_settings(tmp_path: Path) -> None:
    result = doctor(tmp_path, "media", APP_PORT="none")
    assert result.exit_code == 1
    assert re.search(r"^media +settings +error ", result.output, re.MULTILINE)
    result = doctor(tmp_path, "downloads", DOWNLOADS_CNL_CLIENTS="10.0.0.0/8,docker")
    assert "settings       error    DOWNLOADS_CNL_CLIENTS: 'docker'" in result.output


def test_doctor_suggests_variable_for_misspelt_one(tmp_path: Path) -> None:
    result = doctor(tmp_path, "media", APP_PUBLIC_ULR="https://m.example.org", APP_SECRET="x")
    assert "APP_PUBLIC_ULR is unknown; did you mean APP_PUBLIC_URL?" in result.output
    assert "APP_SECRET" not in result.output and result.exit_code == 0


def test_unusable_data_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert media_findings(tmp_path / "file" / "data")["data folder"].state == "error"


def test_database_of_newer_version_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "media.sqlite3"
    with sqlite3.connect(file) as conn:
        conn.execute("CREATE TABLE alembic_version (version_num TEXT)")
        conn.execute("INSERT INTO alembic_version VALUES ('9999')")
    conn.close()
    found = media_findings(tmp_path)["database"]
    assert found.state == "error" and "9999" in found.text
    file.write_bytes(b"no database")
    assert media_findings(tmp_path)["database"].state == "error"


def test_postgresql_and_redis_are_checked(
    tmp_path: Path, postgres_url: str, redis_url: str
) -> None:
    found = media_findings(tmp_path, database_url=postgres_url, redis_url=redis_url)
    assert found["database"].text.startswith("PostgreSQL 1") and found["database"].state == "ok"
    assert found["Redis"].state == "ok"
    port = free_port()
    dead = media_findings(
        tmp_path,
        database_url=f"postgresql://user:secret@127.0.0.1:{port}/quartet",
        redis_url=f"redis://:secret@127.0.0.1:{port}",
    )
    assert dead["database"].state == dead["Redis"].state == "error"
    assert "secret" not in dead["database"].text + dead["Redis"].text


def test_clock_before_installation_is_an_error() -> None:
    assert check_clock(built=time.time() + 3600).state == "error"
    assert check_clock(built=time.time() - 3600).state != "error"


async def health(_request: web.Request) -> web.Response:
    return web.Response(body=b'{"status":"ok"}')


@pytest.mark.anyio
async def test_public_url_must_lead_to_the_service(tmp_path: Path) -> None:
    app = web.Application()
    app.router.add_get("/api/health", health)
    async with TestServer(app) as server:
        address = str(server.make_url(""))
        for public, state in ((address, "ok"), (f"{address}/elsewhere", "error")):
            found = await asyncio.to_thread(
                media_findings, tmp_path, port=server.port, public_url=public
            )
            assert found["port"].text == f"the service answers on port {server.port}"
            assert found["public URL"].state == state


def test_public_address_without_https_is_a_warning(tmp_path: Path) -> None:
    found = media_findings(tmp_path, host="0.0.0.0")
    assert found["public URL"].state == "warning"
    assert "public URL" not in media_findings(tmp_path, host="127.0.0.1")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("sent", "trusted", "public", "state", "text"),
    [
        ({"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"}, True, "https", "ok", ""),
        ({}, True, "http", "ok", "without proxy"),
        ({}, True, "https", "warning", "does not set X-Forwarded-For"),
        (
            {"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "http"},
            True,
            "https",
            "warning",
            "X-Forwarded-Proto is http",
        ),
        (
            {"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https"},
            False,
            "https",
            "warning",
            "to APP_TRUSTED_PROXIES",
        ),
    ],
)
async def test_headers_of_the_proxy_are_checked(
    tmp_path: Path, sent: dict[str, str], trusted: bool, public: str, state: str, text: str
) -> None:
    proxies = ("127.0.0.1",) if trusted else ()
    async with client_of(MEDIA, tmp_path, trusted_proxies=proxies) as client:
        answer = await client.get("/api/health", headers={**sent, DOCTOR_HEADER: "?"})
        assert DOCTOR_HEADER not in (await client.get("/api/health", headers=sent)).headers
    seen = answer.headers[DOCTOR_HEADER].split()
    found = proxy_headers("APP_", f"{public}://media.example.org", *seen)
    assert found.state == state and text in found.text


async def late(_request: web.Request) -> web.Response:
    return web.Response(headers={"Date": formatdate(time.time() - 600, usegmt=True)})


@pytest.mark.anyio
async def test_unreachable_sources_and_wrong_clocks_are_shown() -> None:
    app = web.Application()
    app.router.add_head("/", late)
    async with TestServer(app) as server:
        dead, alive = f"http://127.0.0.1:{free_port()}", str(server.make_url("/"))
        settings = WindSettings(
            allow_private_addresses=True,
            dwd_address=dead,
            noaa_address=alive,
            ecmwf_address=alive,
            meteofrance_address=alive,
            aviation_address=alive,
        )
        unreachable, wrong = await wind_findings(settings)
    assert unreachable.state == "error"
    assert wrong.state == "warning" and "its clock differs by 6" in wrong.text
