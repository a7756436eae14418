"""The engine of the hub knows whether its disk tells upper from lower case."""

from pathlib import Path

import pytest

from quartet.sync.engine import EngineConfig, EngineFolder
from quartet.sync.engine.plan import make_plan
from quartet.sync.hub.letter_case import LetterCase, case_sensitive_folders, is_case_sensitive
from tests.real_servers import free_port
from tests.sync.engines import eventually
from tests.sync.test_hub import hub_folder, running, wanted


def really_is(place: Path) -> bool:
    (place / "a").touch()
    return not (place / "A").exists()


def test_disk_is_recognized(tmp_path: Path) -> None:
    assert is_case_sensitive(tmp_path) is really_is(tmp_path)
    assert is_case_sensitive(tmp_path / "missing") is None


def test_folder_on_another_disk_is_recognized(tmp_path: Path) -> None:
    # The link stands for a disk that ignores case.
    (tmp_path / "usb/.stfolder").mkdir(parents=True)
    (tmp_path / "usb/.STFOLDER").symlink_to(".stfolder")
    (tmp_path / "photos/.stfolder").mkdir(parents=True)
    found = case_sensitive_folders(tmp_path, ["usb", "photos", "new"], None)
    assert found == {"usb": False, "photos": True, "new": None}


@pytest.mark.anyio
async def test_folder_is_looked_at_once_for_each_engine(tmp_path: Path) -> None:
    found = LetterCase(tmp_path)
    await found.look_again()
    assert await found.of(["photos"]) == {"photos": really_is(tmp_path)}
    # Now it stands for a disk that ignores case.
    (tmp_path / "photos/.stfolder").mkdir(parents=True)
    (tmp_path / "photos/.STFOLDER").symlink_to(".stfolder")
    assert await found.of(["photos"]) == {"photos": really_is(tmp_path)}
    await found.look_again()
    assert await found.of(["photos"]) == {"photos": False}


def test_setting_that_a_device_does_not_know_is_kept() -> None:
    def plan(current: bool, wish: bool | None) -> list[bool | None]:
        wanted_config = EngineConfig(
            [], [EngineFolder(id="one", label="", path="/f", case_sensitive=wish)]
        )
        first = make_plan({"devices": [], "folders": []}, wanted_config, "OWN").folders[0]
        existing = {**first, "caseSensitiveFS": current}
        steps = make_plan({"devices": [], "folders": [existing]}, wanted_config, "OWN").folders
        return [each.get("caseSensitiveFS") for each in steps]

    assert plan(current=True, wish=None) == []
    assert plan(current=True, wish=True) == []
    assert plan(current=False, wish=True) == [True]


@pytest.mark.anyio
async def test_hub_tells_its_engine(tmp_path: Path) -> None:
    expected = really_is(tmp_path)
    async with running(tmp_path / "data", listen=f"127.0.0.1:{free_port()}") as hub:
        for revision in (1, 2):
            await hub.reconcile(wanted(revision, [], hub_folder("photos")))
            await eventually(lambda: hub.state().applied_revision == revision)  # noqa: B023
            [found] = (await hub.engine.rest.config())["folders"]
            assert found["caseSensitiveFS"] is expected
