"""A person at a browser, and what must hold on every page they see."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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

from tests.process import ROOT

AXE = ROOT / "node_modules/axe-core/axe.min.js"
WIDE: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
# What Chromium says of itself: no graphics card draws the map; a page was left while it connected.
HINTS = (
    "GPU stall due to ReadPixels",
    "WebSocket is closed before the connection is established",
)

# How Chromium tells of a request and of a WebSocket that the server has refused.
REFUSALS = ("Failed to load resource", "Unexpected response code: 403")


@dataclass(frozen=True)
class Look:
    language: Literal["de", "en"] = "en"
    theme: Literal["light", "dark"] = "light"
    phone: bool = False

    def __str__(self) -> str:
        return f"{self.language}-{self.theme}-{'phone' if self.phone else 'wide'}"


# Each language, theme and width once.
GERMAN_PHONE = Look("de", "dark", phone=True)
ENGLISH_WIDE = Look()
LOOKS = [GERMAN_PHONE, ENGLISH_WIDE]


# Colours are only right when everything has faded in; what turns for ever is not waited for.
SETTLE = """() => Promise.allSettled(
    document.getAnimations()
        .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime))
        .map((one) => one.finished)
)"""


# Whether a text can be read depends on how it and its ground are painted: of those that are
# painted alike, as the cells of a table are, one is looked at.
MARK = """() => {
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
    for (const one of document.querySelectorAll('[data-looked-at]'))
        one.removeAttribute('data-looked-at');
    for (const one of painted.values()) one.setAttribute('data-looked-at', '');
    const selector = '[data-looked-at], input, select, textarea';
    axe.configure({ rules: [{ id: 'color-contrast', selector }] });
}"""


# A finding weighs what its rule weighs, so the lighter rules need not run.
FIND = """() => axe.run({
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
        # Set by tests in which the server refuses something on purpose.
        self.refusals_expected = False
        # Set where drawing would cost more than everything else.
        self.still = False
        self.wide = WIDE
        self.problems: list[str] = []

    def __call__(
        self, address: str, look: Look | None = None, sign_in: SignIn | None = None
    ) -> Page:
        """Whoever signs in before need not be shown the door first."""
        look = look or Look()
        context = self._browser.new_context(
            locale=look.language,
            color_scheme=look.theme,
            viewport=PHONE if look.phone else self.wide,
            has_touch=look.phone,
            reduced_motion="reduce" if self.still else "no-preference",
        )
        self._contexts.append(context)
        if sign_in:
            answer = sign_in(context.request)
            assert answer.ok, answer.text()
        self._home = "/".join(address.split("/")[:3])
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._see)
        page.goto(address)
        return page

    def _hear(self, message: ConsoleMessage) -> None:
        refusal = any(each in message.text for each in REFUSALS)
        hint = any(each in message.text for each in HINTS)
        expected = (refusal and self.refusals_expected) or hint
        if message.type in ("error", "warning") and not expected:
            self.problems.append(message.text)

    def _see(self, request: Request) -> None:
        own = (self._home, self._home.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(own):
            self.problems.append(f"a request to a stranger: {request.url}")

    def close(self) -> None:
        while self._contexts:
            self._contexts.pop().close()


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has_text=name)


def violations(page: Page) -> list[str]:
    """What axe finds serious or critical."""
    page.evaluate(SETTLE)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    page.evaluate(MARK)
    found: list[dict[str, Any]] = page.evaluate(FIND)
    return [
        f"{one['id']}: {one['nodes'][0]['html']} {one['nodes'][0]['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


# When a window has another size, what measures itself needs a moment.
OVERFLOW = """() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() =>
    resolve(document.documentElement.scrollWidth - innerWidth)
)))"""


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    pixels: int = page.evaluate(OVERFLOW)
    return pixels


def assert_fits(page: Page) -> None:
    wider = overflow(page)
    assert wider <= 0, f"{wider} pixels too wide"


def assert_good(page: Page) -> None:
    found = violations(page)
    assert not found, found
    assert_fits(page)


def assert_good_in(page: Page, look: Look) -> None:
    """For a task that is done in each of the looks: axe finds the same in all languages."""
    if look.phone:
        assert_good(page)
    else:
        assert_fits(page)


def assert_good_in_every_look(page: Page) -> None:
    """On a dark phone, where the page was opened, and in a light and wide window."""
    assert_good(page)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(WIDE)
    assert_good(page)
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
