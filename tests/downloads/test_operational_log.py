"""The log of a download from its link to its extracted files."""

import logging
from pathlib import Path

import pytest

from tests.client import Client
from tests.downloads.api_calls import act, add, until_all
from tests.downloads.archives.make_archives import seven_zip
from tests.downloads.extraction_helpers import offer, setting, until_extract
from tests.downloads.server import FileServer
from tests.log_lines import assert_in_order, assert_no_secrets, lines

pytestmark = pytest.mark.anyio

PASSWORD = "pa55-of-the-link"
TOKEN = "t0ken-of-the-link"
ARCHIVE_PASSWORD = "pa55-of-the-archive"


def with_secrets(link: str) -> str:
    return link.replace("http://", f"http://ada:{PASSWORD}@") + f"?token={TOKEN}"


async def test_log_follows_download_to_its_extraction_and_removal(
    ada: Client, server: FileServer, making: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await setting(ada, deleteArchives=True)
    seven_zip(making, "set.7z", f"-p{ARCHIVE_PASSWORD}", "-mhe=on")
    size = (making / "set.7z").stat().st_size
    [link] = offer(server, making)
    given = {"packageName": "P", "password": ARCHIVE_PASSWORD, "start": True}
    package = await add(ada, with_secrets(link), **given)
    [download] = (await until_extract(ada, package, "done"))["downloads"]
    await act(ada, f"/api/packages/{package}", "DELETE")

    id = download["id"]
    assert_in_order(
        lines(caplog, "downloads", logging.INFO),
        f"^package {package} added: 1 links$",
        rf"^download {id} finished: P/set\.7z \({size} bytes\)$",
        rf"^extraction of P/set\.7z finished \(package {package}\)$",
        f"^package {package} extracted: no errors$",
        rf"^package {package} removed \(files kept\)$",
    )
    assert_in_order(
        lines(caplog, "downloads", logging.DEBUG),
        rf"^download {id} started: set\.7z from 127\.0\.0\.1 \(package {package}\)$",
        rf"^download {id} resolved to a file at 127\.0\.0\.1 \(plugin none\)$",
        f"^download {id} transfer started: ",
        f"^download {id}: the server sends {size} bytes, in up to [0-9]+ segments$",
        f"^download {id} transferred: {size} bytes$",
        rf"^download {id} is moved to P/set\.7z$",
        rf"^extraction of P/set\.7z started: 1 volumes \(package {package}\)$",
        r"^extraction of P/set\.7z: deleted the 1 volumes$",
    )
    assert_no_secrets(caplog, PASSWORD, TOKEN, ARCHIVE_PASSWORD)


async def test_log_has_code_and_inputs_of_failed_download(
    ada: Client, server: FileServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await add(ada, with_secrets(server.url("missing.bin")), start=True)
    [download] = await until_all(ada, "failed")
    [line] = [one for one in lines(caplog, "downloads", logging.INFO) if "failed" in one]
    assert line.startswith(f"download {download['id']} failed: {download['error']['code']}")
    assert all(f"{name}=" in line for name in download["error"].get("inputs", {}))
    assert_no_secrets(caplog, PASSWORD, TOKEN)


async def test_log_names_loaded_and_broken_plugins(
    ada: Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / "plugins").mkdir(exist_ok=True)
    (tmp_path / "plugins" / "bad.py").write_text("raise RuntimeError('no')")
    await ada.post("/api/plugins/reload")
    broken = lines(caplog, "downloads", logging.WARNING)
    assert broken == [
        "plugin bad.py is broken: plugin_unloadable file=bad.py reason=RuntimeError: no"
    ]
    assert_in_order(lines(caplog, "downloads", logging.DEBUG), "^plugin mega (re)?loaded: ")
    assert_in_order(
        lines(caplog, "downloads", logging.INFO), r"^plugins (re)?loaded: \d+, broken: 1$"
    )
