"""Notification recipients of media: added, tested, notified about a job, and removed."""

# ruff: noqa: F811 - fixtures are asked for by their names.

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.media_service import (  # noqa: F401
    Open,
    arrived,
    choose,
    media,
    movies,
)
from tests.browser.visits import assert_accessible

SECONDS = 60


class Webhook:
    """A local webhook that records what it receives."""

    def __init__(self) -> None:
        self.bodies: Queue[Any] = Queue()
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                webhook.bodies.put(json.loads(body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Log nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"


@pytest.fixture
def webhook() -> Iterator[Webhook]:
    one = Webhook()
    thread = threading.Thread(target=one.server.serve_forever)
    thread.start()
    yield one
    one.server.shutdown()
    thread.join()
    one.server.server_close()


@pytest.mark.nightly
def test_webhook_is_added_tested_notified_and_removed(
    media: Open, arrived: Path, movies: Path, webhook: Webhook
) -> None:
    page = media("/settings", folder=arrived, movies=movies)
    page.get_by_role("button", name="Add recipient").click()
    dialog = page.get_by_role("dialog", name="Add recipient")
    dialog.get_by_label("Type", exact=True).select_option("Webhook")
    dialog.get_by_label("Address").fill(webhook.url)
    dialog.get_by_label("Token").fill("a-very-secret-token-1234")
    assert_accessible(page)
    dialog.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Test: Webhook").click()
    expect(page.get_by_text("Test succeeded.")).to_be_visible()
    assert webhook.bodies.get(timeout=SECONDS)["event"] == "test"
    page.reload()
    expect(page.get_by_role("button", name="Test: Webhook")).to_be_visible()
    assert "a-very-secret-token-1234" not in page.content()

    page.goto(page.url.replace("/settings", "/rename"))
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Move 2 files").click()
    news = webhook.bodies.get(timeout=SECONDS)
    assert (news["event"], news["done"]) == ("done", 2)

    page.goto(page.url.split("/rename")[0] + "/settings")
    page.get_by_role("button", name="Remove: Webhook").click()
    expect(page.get_by_text("No recipients yet.")).to_be_visible()
