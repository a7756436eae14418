"""Pages opened in a browser, and the checks that every page must pass."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from playwright.sync_api import (
    APIRequestContext,
    APIResponse,
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    ViewportSize,
)

from tests.browser.page_costs import assert_still
from tests.process import ROOT
from tests.rounds import NIGHTLY

AXE = ROOT / "node_modules/axe-core/axe.min.js"
WIDE: ViewportSize = {"width": 1440, "height": 900}
SCRIPT_SECONDS = 60
PHONE: ViewportSize = {"width": 390, "height": 844}
# Messages of Chromium itself: no graphics card for the map; a page was closed while connecting; a
# busy machine has shown no text for seconds after it loaded the font.
IGNORED = (
    "GPU stall due to ReadPixels",
    "WebSocket is closed before the connection is established",
    "was preloaded using link preload but not used within a few seconds",
)

# How Chromium reports a request or a WebSocket that the server has refused.
REFUSALS = ("Failed to load resource", "Unexpected response code: 403")


@dataclass(frozen=True)
class Look:
    language: Literal["de", "en"] = "en"
    theme: Literal["light", "dark"] = "light"
    phone: bool = False

    def __str__(self) -> str:
        return f"{self.language}-{self.theme}-{'phone' if self.phone else 'wide'}"


# Each language, theme and width at least once.
GERMAN_PHONE = Look("de", "dark", phone=True)
ENGLISH_WIDE = Look()
LOOKS = [GERMAN_PHONE, pytest.param(ENGLISH_WIDE, marks=pytest.mark.nightly)]


# Colours are only final after all animations; endless ones are not waited for.
SETTLE = """() => Promise.allSettled(
    document.getAnimations()
        .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime))
        .map((one) => one.finished)
)"""


# Contrast depends on the colours of a text and its background: of elements with the same colours,
# such as the cells of a table, only one is checked.
MARK_DISTINCT_TEXTS = """() => {
    const grounds = new Map([[null, '']]);
    const groundOf = (one) => {
        if (!grounds.has(one)) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(one);
            const own = [backgroundColor, backgroundImage, opacity];
            grounds.set(one, [...own, groundOf(one.parentElement)].join());
        }
        return grounds.get(one);
    };
    const painted = new Map();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const one = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !one.checkVisibility()) continue;
        const { color, fontSize, fontWeight } = getComputedStyle(one);
        const own = [one.tagName, one.className, color, fontSize, fontWeight];
        const alike = [...own, groundOf(one)].join();
        if (!painted.has(alike)) painted.set(alike, one);
    }
    for (const one of document.querySelectorAll('[data-checked]'))
        one.removeAttribute('data-checked');
    for (const one of painted.values()) one.setAttribute('data-checked', '');
    const selector = '[data-checked], input, select, textarea';
    axe.configure({ rules: [{ id: 'color-contrast', selector }] });
}"""


# A finding has the impact of its rule, so rules of lower impact need not run.
RUN_AXE = """() => axe.run({
    preload: false,
    resultTypes: ['violations'],
    rules: Object.fromEntries(
        axe._audit.rules
            .filter((rule) => ['minor', 'moderate'].includes(rule.impact))
            .map((rule) => [rule.id, { enabled: false }])
    ),
}).then((answer) => answer.violations)"""


SignIn = Callable[[APIRequestContext], APIResponse]


class Visit:
    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self._home = ""
        self._closing = False
        # Set by tests in which the server refuses requests on purpose.
        self.refusals_expected = False
        # Animations take a third of the CPU time of a page, so they only run at night.
        self.still = not NIGHTLY
        self.wide = WIDE
        self.problems: list[str] = []

    def __call__(
        self, address: str, look: Look | None = None, sign_in: SignIn | None = None
    ) -> Page:
        """Open an address, already signed in if `sign_in` is given."""
        look = look or Look()
        context = self._browser.new_context(
            locale=look.language,
            color_scheme=look.theme,
            viewport=PHONE if look.phone else self.wide,
            has_touch=look.phone,
            reduced_motion="reduce" if self.still else "no-preference",
        )
        # Like `expect`: several browsers and servers may share two cores.
        context.set_default_timeout(60_000)
        self._contexts.append(context)
        if sign_in:
            answer = sign_in(context.request)
            assert answer.ok, answer.text()
        self._home = "/".join(address.split("/")[:3])
        page = context.new_page()
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._on_request)
        page.goto(address)
        return page

    def _on_console(self, message: ConsoleMessage) -> None:
        refusal = any(each in message.text for each in REFUSALS)
        ignored = any(each in message.text for each in IGNORED)
        # A request that was running when its page was closed.
        cut_off = self._closing and "net::ERR_" in message.text
        expected = (refusal and self.refusals_expected) or ignored or cut_off
        if message.type in ("error", "warning") and not expected:
            self.problems.append(message.text)

    def _on_request(self, request: Request) -> None:
        own = (self._home, self._home.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(own):
            self.problems.append(f"a request to another host: {request.url}")

    def close(self) -> None:
        self._closing = True
        while self._contexts:
            self._contexts.pop().close()
        self._closing = False


def wait_for_script(page: Page, script: str) -> None:
    """Wait until the value of a script is true.

    `wait_for_function` evaluates text in the page at every try but the first, which our
    Content-Security-Policy forbids.
    """
    end = time.monotonic() + SCRIPT_SECONDS
    while not page.evaluate(script):
        assert time.monotonic() < end, script
        page.wait_for_timeout(50)


def row(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("row").filter(has_text=name)


def violations(page: Page) -> list[str]:
    """Return the serious and critical findings of axe."""
    page.evaluate(SETTLE)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    page.evaluate(MARK_DISTINCT_TEXTS)
    found: list[dict[str, Any]] = page.evaluate(RUN_AXE)
    return [
        f"{one['id']}: {one['nodes'][0]['html']} {one['nodes'][0]['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


# After a resize, elements that measure themselves need a moment.
OVERFLOW = """() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() =>
    resolve(document.documentElement.scrollWidth - innerWidth)
)))"""


def overflow(page: Page) -> int:
    """Return by how many pixels the page is wider than its window."""
    pixels: int = page.evaluate(OVERFLOW)
    return pixels


def assert_fits(page: Page) -> None:
    wider = overflow(page)
    assert wider <= 0, f"{wider} pixels too wide"


# Describes each kind of element on the page: axe finds the same in elements of the same kind.
KINDS = """() => [...new Set(
    [...document.body.querySelectorAll('*')]
        .filter((one) => one.checkVisibility())
        .map((one) => {
            const { color, backgroundColor } = getComputedStyle(one);
            const own = [one.tagName, one.getAttribute('class'), one.getAttribute('role')];
            const attributes = one.getAttributeNames().filter((name) => name !== 'data-checked');
            const named = Boolean(one.textContent.trim());
            return [...own, ...attributes, named, color, backgroundColor].join();
        })
)]"""
_checked_kinds: set[str] = set()


def _has_new_elements(page: Page) -> bool:
    """Return whether some kind of element was on no earlier page of this process."""
    page.evaluate(SETTLE)
    kinds = set(page.evaluate(KINDS))
    is_new = not kinds <= _checked_kinds
    _checked_kinds.update(kinds)
    return is_new


def assert_accessible(page: Page, *, wide: bool = NIGHTLY) -> None:
    """Check a page on the phone, or also in a wide window.

    At night a page on the phone must not have jumped either. In the suite, test_still_pages.py
    checks that: what moves more than half a second after an input counts as a jump, so on a busy
    machine every slow answer to an input would fail a test that is about something else.

    Axe takes half the CPU time of many tests. It runs on wide pages at night and in the gallery,
    which has every component, and except at night only on pages with new elements.
    """
    if wide or (page.viewport_size == PHONE and (NIGHTLY or _has_new_elements(page))):
        found = violations(page)
        assert not found, found
    if NIGHTLY and page.viewport_size == PHONE:
        assert_still(page)
    assert_fits(page)


def assert_accessible_in(page: Page, look: Look) -> None:
    """Check a page in this look; axe only runs on the phone, as its findings are the same in all
    languages.
    """
    if look.phone:
        assert_accessible(page)
    else:
        assert_fits(page)


def assert_accessible_in_every_look(page: Page) -> None:
    """Check a page in the dark phone look it was opened in; at night also in a light, wide one."""
    assert_accessible(page)
    if not NIGHTLY:
        return
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    assert_accessible(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
