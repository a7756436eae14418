import re
from pathlib import Path

import pytest

from quartet.downloads.app import SERVICE
from quartet.services import NAMES, service
from tests.client import client_of
from tests.process import ROOT

pytestmark = pytest.mark.anyio


async def test_metrics_require_login_or_metrics_token(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path, metrics_token="a token for metrics") as client:
        assert await client.code("GET", "/metrics") == (401, "signed_out")
        wrong = {"authorization": "Bearer wrong"}
        assert await client.code("GET", "/metrics", headers=wrong) == (401, "signed_out")
        right = {"authorization": "Bearer a token for metrics"}
        text = (await client.get("/metrics", headers=right)).text
        assert 'quartet_http_answers_total{status="4xx"} 2.0' in text
        assert '{status="1xx"}' in text and '{status="5xx"}' in text
        assert "0xx" not in text
        # The service may have its own open streams.
        assert "\nquartet_streams " in text
        assert 'quartet_loop_restarts{name="system"} 0.0' in text


async def test_empty_token_does_not_open_metrics(tmp_path: Path) -> None:
    async with client_of(SERVICE, tmp_path) as client:
        for headers in ({}, {"authorization": "Bearer "}, {"authorization": "Bearer None"}):
            assert await client.code("GET", "/metrics", headers=headers) == (401, "signed_out")


@pytest.mark.parametrize("name", NAMES)
async def test_metrics_named_by_dashboard_and_alerts_are_exported(
    name: str, tmp_path: Path
) -> None:
    # The metrics that need something to have happened have no values in an empty service.
    empty = {"quartet_wind_run_age_seconds"}
    async with client_of(service(name), tmp_path, metrics_token="a token for metrics") as client:
        right = {"authorization": "Bearer a token for metrics"}
        text = (await client.get("/metrics", headers=right)).text
    exported = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    of_others = {f"quartet_{other}_" for other in NAMES if other != name}
    named = {each for each in named_metrics() if not each.startswith(tuple(of_others))}
    assert named - exported - empty == set()
    assert {each for each in exported if each.startswith(f"quartet_{name}_")} <= named_metrics()


def named_metrics() -> set[str]:
    """Return every metric that the Grafana dashboard and the alert rules use."""
    files = (ROOT / "deploy/monitoring/grafana.json", ROOT / "deploy/monitoring/alerts.yaml")
    names = {name for file in files for name in re.findall(r"quartet_\w+", file.read_text())}
    return {re.sub(r"_bucket$", "", name) for name in names}
