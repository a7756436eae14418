"""Every line of the shell blocks in the documentation is executed, or a reason is given here.

A new line that is neither fails a test.
"""

import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import anyio
import httpx
import pytest

from quartet.media import app as media
from tests.client import client_of
from tests.deploy.reference import ROOT
from tests.documented_commands import NO_NETWORK, Block, World, documented_blocks, world
from tests.downloads.first_user import first_user
from tests.process import quartet_serve
from tests.sync.processes import server

SERVER = re.compile(r"https://sync\.example\.org [A-Z-]+")

# Executed by another test or a step of the pipeline, which must exist.
ELSEWHERE = {
    r"git clone https://github.com/quartet-project/quartet|cd quartet|make run": (
        "scripts/pipeline/steps.py::follow_readme"
    ),
    r"python3 -m venv ~|~/\.local/share/quartet-program/|sudo ": (
        "scripts/pipeline/documented.py::run_documented"
    ),
    r"docker compose (up|exec)": "scripts/pipeline/checks/image.py::COMMANDS",
    r"curl -fsSL \S+/install\.sh": "tests/sync/test_agent_one_file.py::test_device_without_python",
    r"DATABASE_URL=\S+ SYNC_HUB_NAME": "tests/sync/test_scale_hubs.py::test_files_sync",
    r"quartet wind fetch-basemap": "tests/wind/test_file_commands.py::test_basemap_is_fetched",
    r"QUARTET_TEST_ENGINES=": ".github/workflows/release.yml::QUARTET_TEST_ENGINES",
    r"\.venv/bin/python scripts/engine\.py": ".github/workflows/release.yml::scripts/engine.py",
    r"make test": ".github/workflows/ci.yml::make test",
    r"quartet agent join$": "tests/sync/test_agent_discovery.py::test_join_needs",
}
# Cannot be executed by a test.
NOT_EXECUTED = {
    r"(QUICK=1 )?make bench|\.venv/bin/python -m bench": "measures for minutes",
    r"docker (run|compose cp)": "needs a Docker daemon and the published image",
    r"systemctl --user (daemon-reload|start)|loginctl|openssl rand .* podman": (
        "needs systemd and Podman"
    ),
    r"kubectl": "needs a cluster; tests/deploy checks the files",
    r"gh attestation|cosign": "needs a published release",
    r"osmium|pmtiles": "a program of another project with files from the internet",
}


def _databases(world: World) -> None:
    world.prepare("quartet migrate downloads media")


def _backups(world: World) -> None:
    _databases(world)
    world.prepare("quartet backup downloads downloads.tar.gz", "quartet backup media media.tar.gz")


def _backups_without_data(world: World) -> None:
    _backups(world)
    for folder in ("data", "config"):
        shutil.rmtree(world.checkout / folder)


def _film(world: World) -> None:
    """The folders are configured, and a film was downloaded."""
    if (world.checkout / "config").exists():
        return
    folders = {world.folder / "media/downloads": "folder", world.folder / "media/movies": "movies"}

    async def configure() -> None:
        async with client_of(media.SERVICE, world.checkout / "config", demo=True) as client:
            for folder, kind in folders.items():
                folder.mkdir(parents=True)
                body = {"path": str(folder), "kind": kind}
                assert (await client.post("/api/folders", json=body)).status_code == 201

    anyio.run(configure)
    (world.folder / "media/downloads/Heat.1995.1080p.BluRay.x264-GRP.mkv").write_bytes(b"film")
    world.variables["APP_DEMO"] = "true"


def _history_of_filebot(world: World) -> None:
    (world.home / ".filebot").mkdir()
    (world.home / ".filebot/history.xml").write_text("<history/>")


def _places(world: World) -> None:
    named = ("2950159", "Feldstrand", "Feldstrand", "", "54.4", "10.1", "T", "BCH", "DE")
    row = "\t".join((*named, "", "", "", "", "", "0", "", "5", "Europe", "2024-01-01"))
    for country in ("DE", "ES"):
        with zipfile.ZipFile(world.checkout / f"{country}.zip", "w") as archive:
            archive.writestr(f"{country}.txt", f"{row}\n")
    beach = {
        "type": "Feature",
        "properties": {"name": "Feldstrand", "natural": "beach"},
        "geometry": {"type": "Point", "coordinates": [10.1, 54.4]},
    }
    (world.checkout / "spots.geojsonseq").write_text(json.dumps(beach))


# What a line expects to find. The first pattern that matches counts.
PREPARED: dict[str, Callable[[World], None]] = {
    r"quartet backup|quartet backups": _databases,
    r"quartet restore .*--replace": _backups,
    r"quartet restore": _backups_without_data,
    r"quartet media (preview|rename|undo)": _film,
    r"quartet wind add-places": _places,
    r"quartet media import-history": _history_of_filebot,
}


def of_kind(patterns: dict[str, str], text: str) -> str | None:
    return next((value for each, value in patterns.items() if re.match(each, text)), None)


BLOCKS = documented_blocks()
LINES = sorted({line for block in BLOCKS for line in block.lines})


def executed_here(block: Block) -> list[str]:
    return [each for each in block.lines if not of_kind(ELSEWHERE | NOT_EXECUTED, each)]


def blocks_with(start: str, *, first: bool = True) -> list[Block]:
    """Return blocks with lines to execute here that begin so, or that do not."""
    mine = [each for each in BLOCKS if executed_here(each)]
    return [each for each in mine if executed_here(each)[0].startswith(start) == first]


AGENT = [line for block in blocks_with("quartet agent") for line in executed_here(block)]
REQUESTS = [line for block in blocks_with("curl -H") for line in executed_here(block)]
OTHERS = [
    each for each in BLOCKS if {*executed_here(each)} - {*AGENT, *REQUESTS} and executed_here(each)
]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[World]:
    with world(tmp_path / "world") as made:
        yield made


@pytest.mark.parametrize("block", OTHERS, ids=lambda block: f"{block.page}: {block.lines[0]}")
def test_documented_lines_succeed(place: World, block: Block) -> None:
    for line in executed_here(block):
        for pattern, prepare in PREPARED.items():
            if re.match(pattern, line):
                prepare(place)
                break
        place.succeeds(line)


def test_documented_lines_for_a_device_succeed_in_their_order(place: World, tmp_path: Path) -> None:
    assert len(AGENT) > 6
    (tmp_path / "server").mkdir()
    with server(tmp_path / "server", SYNC_HUB="false") as running:
        for line in AGENT:
            if SERVER.search(line):
                code = running.post("/api/enrollments", {"name": "laptop"})["code"]
                line = SERVER.sub(f"{running.url} {code}", line)
            place.succeeds(line)


@pytest.mark.parametrize("line", REQUESTS)
def test_documented_request_is_answered(place: World, tmp_path: Path, line: str) -> None:
    with quartet_serve(tmp_path, services=("downloads",), **NO_NETWORK) as running:
        url = running.addresses["downloads"]
        with httpx.Client(base_url=url) as browser:
            setup = first_user(tmp_path / "data/downloads")
            assert browser.post("/api/auth/setup", json=setup).status_code == 204
            place.variables["TOKEN"] = browser.post("/api/settings/api-token").json()["token"]
        line = re.sub(r"https?://(home\.example\.org|localhost:8080|example\.org)", url, line)
        assert "{" in place.succeeds(line.replace("curl", "curl --fail-with-body"))


def test_every_pattern_belongs_to_a_line() -> None:
    for pattern in (*ELSEWHERE, *NOT_EXECUTED, *PREPARED):
        assert any(re.match(pattern, each) for each in LINES), pattern


@pytest.mark.parametrize("there", sorted({*ELSEWHERE.values()}))
def test_place_that_executes_a_line_exists(there: str) -> None:
    file, _, name = there.partition("::")
    assert name in (ROOT / file).read_text()
