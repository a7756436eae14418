"""A problem of a running service reaches its admin, in every service."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quartet.kernel.backups.record import change_record
from quartet.kernel.conditions.tasks import health_task
from quartet.services import NAMES, service
from tests.client import quiet_client_of
from tests.inbox import Inbox, inbox_server
from tests.test_openapi import ENTER

# From a module that Apprise loads.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:.imghdr. is deprecated:DeprecationWarning"),
]


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    with inbox_server() as inbox:
        yield inbox


def recipient(name: str, url: str) -> tuple[str, str, dict[str, Any]]:
    """Return the request that makes the URL a recipient of notifications."""
    target = {"name": "me", "url": url}
    requests: dict[str, tuple[str, str, dict[str, Any]]] = {
        "downloads": ("PUT", "/api/notices", {"targets": [target]}),
        "sync": ("PUT", "/api/notices", {"targets": [target], "errors": True}),
        "media": ("PUT", "/api/notifications", {"notifications": [target]}),
        "wind": ("POST", "/api/messengers", {"url": url}),
    }
    return requests[name]


@pytest.mark.parametrize("name", NAMES)
async def test_overdue_backup_is_reported_to_the_admin(
    tmp_path: Path, name: str, inbox: Inbox
) -> None:
    change_record(tmp_path, since=1, attempted_at=2**40, error=None)
    async with quiet_client_of(service(name), tmp_path, allow_private_addresses=True) as client:
        headers = await ENTER[name][0](client)
        method, path, body = recipient(name, inbox.url)
        answer = await client.request(method, path, json=body, headers=headers)
        assert answer.is_success, answer.text
        health_task(client.started.kernel)
        conditions = client.started.kernel.conditions
        for _ in range(3):
            await conditions.check()
        assert inbox.messages == ["Problem: The backup failed or is overdue (backup_overdue)"]
        change_record(tmp_path, since=2**40, attempted_at=2**40, error=None)
        await conditions.check()
        _, ended = inbox.messages
        assert ended.startswith("Solved: ")
