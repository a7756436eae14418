"""Calls methods of the aria2 interface."""

import json
from typing import Any

from tests.client import Client


class Rpc:
    def __init__(self, client: Client, token: str) -> None:
        self.client = client
        self.token = token

    async def answer(self, method: str, *params: Any) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": "q", "method": method, "params": list(params)}
        answer = await self.client.post("/jsonrpc", content=json.dumps(body))
        shown: dict[str, Any] = answer.json()
        assert answer.status_code == (400 if "error" in shown else 200)
        assert (shown["jsonrpc"], shown["id"]) == ("2.0", "q")
        return shown

    async def __call__(self, method: str, *params: Any) -> Any:
        shown = await self.answer(f"aria2.{method}", f"token:{self.token}", *params)
        assert "result" in shown, shown
        return shown["result"]

    async def error(self, method: str, *params: Any) -> str:
        shown = await self.answer(f"aria2.{method}", f"token:{self.token}", *params)
        return str(shown["error"]["message"])


async def token_of(client: Client) -> str:
    return str((await client.post("/api/settings/api-token")).json()["token"])
