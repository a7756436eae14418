from typing import Any

import pytest
import yaml

from quartet.services import NAMES
from tests.deploy.commands import understood
from tests.deploy.image import DATA
from tests.deploy.known import DEPLOY, OF_THE_CONTAINER, PORTS, variables


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_there_are_the_four_services_from_one_image(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == set(NAMES)
    assert len({each["image"] for each in compose["services"].values()}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_service_is_started_checked_and_kept(compose: dict[str, Any], name: str) -> None:
    found = compose["services"][name]
    assert found["command"] == ["serve", name]
    understood(found["command"])
    assert found["healthcheck"]["test"] == ["CMD", "quartet", "healthcheck", name]
    understood(found["healthcheck"]["test"][2:])
    assert found["restart"] == "unless-stopped"
    assert found["volumes"] == [f"{name}:{DATA[name]}"]
    assert name in compose["volumes"]


@pytest.mark.parametrize("name", NAMES)
def test_a_service_is_offered_to_this_machine_alone(compose: dict[str, Any], name: str) -> None:
    assert compose["services"][name]["ports"] == [f"127.0.0.1:{PORTS[name]}:{PORTS[name]}"]


@pytest.mark.parametrize("name", NAMES)
def test_every_variable_is_a_setting(compose: dict[str, Any], name: str) -> None:
    assert set(compose["services"][name]["environment"]) <= variables(name) | OF_THE_CONTAINER


def test_media_does_not_start_without_a_token(compose: dict[str, Any]) -> None:
    assert compose["services"]["media"]["environment"]["APP_TOKEN"].startswith("${APP_TOKEN:?")
