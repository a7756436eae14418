"""Who is told: added, tried, told of a run and removed, in a browser."""

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

from tests.browser.media_desk import (  # noqa: F401
    Open,
    arrived,
    choose,
    media,
    movies,
)
from tests.browser.visits import assert_good

SECONDS = 20


class Told:
    """A webhook on this machine, and what it was sent."""

    def __init__(self) -> None:
        self.bodies: Queue[Any] = Queue()
        told = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                told.bodies.put(json.loads(body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"


@pytest.fixture
def told() -> Iterator[Told]:
    one = Told()
    thread = threading.Thread(target=one.server.serve_forever)
    thread.start()
    yield one
    one.server.shutdown()
    thread.join()
    one.server.server_close()


def test_a_webhook_is_added_tried_told_and_removed(
    media: Open, arrived: Path, movies: Path, told: Told
) -> None:
    page = media("/settings", folder=arrived, movies=movies)
    page.get_by_role("button", name="Add recipient").click()
    dialog = page.get_by_role("dialog", name="Add recipient")
    dialog.get_by_label("What", exact=True).select_option("Webhook")
    dialog.get_by_label("Address").fill(told.url)
    dialog.get_by_label("Token").fill("a-very-secret-token-1234")
    assert_good(page)
    dialog.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Test: Webhook").click()
    expect(page.get_by_text("It worked.")).to_be_visible()
    assert told.bodies.get(timeout=SECONDS)["event"] == "test"
    page.reload()
    expect(page.get_by_role("button", name="Test: Webhook")).to_be_visible()
    assert "a-very-secret-token-1234" not in page.content()

    page.goto(page.url.replace("/settings", "/workbench"))
    choose(page, "arrived")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Move 2 files").click()
    news = told.bodies.get(timeout=SECONDS)
    assert (news["event"], news["done"]) == ("done", 2)

    page.goto(page.url.split("/workbench")[0] + "/settings")
    page.get_by_role("button", name="Remove: Webhook").click()
    expect(page.get_by_text("Nobody is told yet.")).to_be_visible()
