"""A plan leads from any configuration to the wanted one."""

import asyncio
import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quartet.sync.engine import EngineConfig, EngineFolder, EnginePeer
from quartet.sync.engine.plan import full_config, make_plan
from quartet.sync.engine.types import FolderType
from quartet.sync.protocol import Versioning
from tests.sync.engines import engine

OWN = "OWN"
# Real ids, because engines verify the check digits.
PEERS = (
    "A6VCB65-KRA5FPU-ZA2MWUY-5UIOLPM-RSAX5OX-2AEC6R6-PIJBSWB-ZHSNIA2",
    "H6EF4HI-2OHHUSJ-6IO4FAO-5BEHBVW-NYZF4UV-SNZVOYX-B77EWLR-FESB3AR",
)
types: list[FolderType] = ["sendreceive", "sendonly", "receiveonly"]


@st.composite
def configs(draw: st.DrawFn) -> EngineConfig:
    peers = draw(st.lists(st.sampled_from(PEERS), unique=True))
    folders = draw(
        st.lists(
            st.builds(
                EngineFolder,
                id=st.sampled_from(["one", "two", "three"]),
                label=st.sampled_from(["A", "B ä"]),
                path=st.sampled_from(["/f/a", "/f/b/", "/f/c"]),
                type=st.sampled_from(types),
                peers=st.lists(st.sampled_from(PEERS), unique=True),
                versioning=st.sampled_from([None, Versioning(), Versioning(max_age_days=7)]),
                password=st.sampled_from(["", "horse"]),
            ),
            unique_by=(lambda each: each.id, lambda each: each.path),
        )
    )
    return EngineConfig([EnginePeer(peer, "name") for peer in peers], folders)


def empty() -> dict[str, Any]:
    return {
        "version": 36,
        "devices": [{"deviceID": OWN, "name": "vm"}],
        "folders": [],
        "defaults": {"folder": {"rescanIntervalS": 3600}, "device": {"compression": "metadata"}},
    }


@given(st.lists(configs(), max_size=5))
def test_no_steps_are_left_after_plan(wishes: list[EngineConfig]) -> None:
    current = empty()
    for wanted in wishes:
        before = copy.deepcopy(current)
        current = full_config(current, make_plan(current, wanted, OWN))
        assert make_plan(current, wanted, OWN).steps == 0
        assert {each["deviceID"] for each in current["devices"]} == {
            OWN,
            *(peer.engine_id for peer in wanted.peers),
        }
        # Other fields stay unchanged.
        assert all(each["rescanIntervalS"] == 3600 for each in current["folders"])
        assert current["version"] == before["version"]


@settings(max_examples=3)
@given(st.lists(configs(), min_size=3, max_size=3))
def test_real_engine_reaches_wanted_configuration(
    tmp_path_factory: pytest.TempPathFactory, wishes: list[EngineConfig]
) -> None:
    async def follow(base: Path) -> None:
        async with engine(base / "home") as made:
            for wanted in wishes:
                at = [
                    EngineFolder(**{**_fields(each), "path": str(base) + each.path})
                    for each in wanted.folders
                ]
                here = EngineConfig(wanted.peers, at)
                assert await made.apply(here) == {}
                assert make_plan(await made.rest.config(), here, made.id).steps == 0

    asyncio.run(follow(tmp_path_factory.mktemp("plan")))


def _fields(folder: EngineFolder) -> dict[str, Any]:
    return {name: getattr(folder, name) for name in folder.__struct_fields__}


def test_parameters_of_earlier_versioning_do_not_count() -> None:
    def config(**more: Any) -> EngineConfig:
        return EngineConfig([], [EngineFolder(id="one", label="A", path="/f/a", **more)])

    wishes = (config(archive_command="gate.sh"), config(versioning=Versioning()), config())
    current = empty()
    params: dict[str, str] = {}
    for wanted in wishes:
        current = full_config(current, make_plan(current, wanted, OWN))
        # The engine adds parameters to those it has, and removes none.
        [folder] = current["folders"]
        params |= folder["versioning"]["params"]
        folder["versioning"] = {**folder["versioning"], "params": dict(params)}
        assert make_plan(current, wanted, OWN).steps == 0
    assert len(params) == 2


def test_untrusted_peer_gets_no_unencrypted_folder() -> None:
    def config(*passwords: str) -> EngineConfig:
        folders = [
            EngineFolder(id=f"f{at}", label="", path=f"/f{at}", peers=[PEERS[0]], password=each)
            for at, each in enumerate(passwords)
        ]
        return EngineConfig([EnginePeer(PEERS[0])], folders)

    def untrusted(wanted: EngineConfig) -> bool:
        return bool(make_plan(empty(), wanted, OWN).devices[0]["untrusted"])

    assert untrusted(config("horse", "battery"))
    assert not untrusted(config("horse", ""))
    assert not untrusted(config())
