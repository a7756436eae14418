from pathlib import Path

import pytest

from quartet.downloads.app import SERVICE
from tests.client import client_of

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
