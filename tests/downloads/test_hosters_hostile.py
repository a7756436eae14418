"""Hosters with undocumented responses: each call ends with a result or a plugin error.

The error `plugin_broken` would mean a bug in our plugin.
"""

import itertools
import json
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from quartet.downloads.hosters.builtin import alldebrid, torbox
from quartet.downloads.hosters.sdk import PluginError
from tests.downloads.imitations.all import SITES
from tests.downloads.imitations.site import PluginTrial, Site, plugin_trial
from tests.downloads.plugins import Handler

pytestmark = pytest.mark.anyio

BODIES = (
    b"",
    b"<html><form><input name=op value=download1></form><a href='//['>x</a></html>",
    b"null",
    b"[]",
    b"{}",
    b'"text"',
    b"[" * 100_000,
    b")]}'\nnot JSON",
    b'{"status": [], "success": "maybe", "response": 5, "data": {"data": null}}',
    b"<" * 10_000,
    b"\xff\xfe\x00<form>" * 1000,
)
WRONG: tuple[Any, ...] = (None, [], -1, "x" * 9000)


@pytest.fixture(autouse=True)
def no_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make plugins that poll return to the queue at once."""
    for module in (alldebrid, torbox):
        monkeypatch.setattr(module, "POLL_SECONDS", 1000.0)


async def every_call(trial: PluginTrial[Any]) -> list[str]:
    """Return the errors that all calls end with; `fine` for calls that succeed."""
    account = trial.site.account
    calls: list[Coroutine[Any, Any, object]] = []
    if trial.plugin.can("check"):
        calls.append(trial.check())
    if trial.site.folder_link:
        calls += [trial.crawl(), trial.crawl(account=account)]
    calls.append(trial.resolve(account=account))
    if account:
        calls.append(trial.check_account())
    if trial.plugin.declared.multi:
        calls.append(trial.supported())
    elif not trial.plugin.declared.account_required:
        calls.append(trial.resolve())
    return [await end_of(each) for each in calls]


async def end_of(call: Coroutine[Any, Any, object]) -> str:
    try:
        await call
    except PluginError as error:
        assert error.problem
        assert error.problem.code != "plugin_broken", error.problem
        return type(error).__name__
    return "fine"


class ChangedSite(Site):
    """A site whose responses are changed on the way to the plugin."""

    def __init__(self, inner: Site) -> None:
        self.inner = inner
        self.plugin, self.account = inner.plugin, inner.account
        self.file_link, self.folder_link = inner.file_link, inner.folder_link

    def settings(self) -> dict[str, str]:
        self.inner.base = self.base
        return self.inner.settings()


class ConstantSite(ChangedSite):
    """Always sends the same response."""

    body = b""
    status = 200

    def routes(self) -> dict[str, Handler]:
        return {"* /{path:.*}": self.anything}

    async def anything(self, request: web.Request) -> web.Response:
        # Retries need not wait.
        at_once = {"Retry-After": "0"}
        return web.Response(
            body=self.body, status=self.status, headers=at_once, content_type="text/html"
        )


class WrongValueSite(ChangedSite):
    """Changes one value in each response."""

    wrong: Any = None
    # The index of the changed value, and the number of values in the longest response.
    place = -1
    places = 0

    def routes(self) -> dict[str, Handler]:
        return {route: self.spoilt(handler) for route, handler in self.inner.routes().items()}

    def spoilt(self, handler: Handler) -> Handler:
        async def answer(request: web.Request) -> web.StreamResponse:
            response = await handler(request)
            if (
                not isinstance(response, web.Response)
                or response.content_type != "application/json"
            ):
                return response
            guard, _, text = (response.text or "").rpartition("\n")
            body = json.loads(text)
            self.places = max(self.places, len(list(places_in(body))))
            put_wrong(body, self.place, self.wrong)
            text = f"{guard}\n{json.dumps(body)}"
            return web.Response(text=text, status=response.status, content_type="application/json")

        return answer


@pytest.mark.parametrize("kind", SITES)
async def test_unexpected_responses_are_handled(tmp_path: Path, kind: type[Site]) -> None:
    async with plugin_trial(tmp_path, ConstantSite(kind())) as trial:
        for body in BODIES:
            trial.site.body = body
            assert not {"Offline", "AccountProblem"} & set(await every_call(trial)), body[:80]
        for status in (403, 500):
            trial.site.status = status
            assert set(await every_call(trial)) <= {"Temporary", "Fatal"}
        trial.site.status = 429
        assert set(await every_call(trial)) <= {"HosterLimit"}


# Five sites stand for all, which are tried at night.
@pytest.mark.parametrize(
    "kind", [*SITES[:5], *(pytest.param(kind, marks=pytest.mark.nightly) for kind in SITES[5:])]
)
async def test_wrong_value_in_response_is_handled(tmp_path: Path, kind: type[Site]) -> None:
    """Change each value of each documented response in turn."""
    async with plugin_trial(tmp_path, WrongValueSite(kind())) as trial:
        assert set(await every_call(trial)) == {"fine"}
        for place, wrong in itertools.product(range(min(trial.site.places, 20)), WRONG):
            trial.site.place, trial.site.wrong = place, wrong
            await every_call(trial)


def places_in(body: Any) -> Iterator[tuple[Any, Any]]:
    """Yield containers with a key or an index, from the outside in."""
    keys = body if isinstance(body, dict) else range(len(body)) if isinstance(body, list) else ()
    for key in keys:
        yield body, key
        yield from places_in(body[key])


def put_wrong(body: Any, place: int, wrong: Any) -> None:
    for number, (container, key) in enumerate(places_in(body)):
        if number == place:
            container[key] = wrong
            return
