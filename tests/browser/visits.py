"""A person at a browser, and what must hold on every page they see."""

from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    ViewportSize,
)

from tests.process import ROOT

AXE = ROOT / "node_modules/axe-core/axe.min.js"
WIDE: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}


@dataclass(frozen=True)
class Look:
    language: Literal["de", "en"] = "en"
    theme: Literal["light", "dark"] = "light"
    phone: bool = False

    def __str__(self) -> str:
        return f"{self.language}-{self.theme}-{'phone' if self.phone else 'wide'}"


# Each language, theme and width once; in ALL_LOOKS each meets each of the others.
LOOKS = [Look("de", "dark", phone=True), Look("en", "light", phone=False)]
ALL_LOOKS = [*LOOKS, Look("de", "light", phone=False), Look("en", "dark", phone=True)]


# Colours are only right when everything has faded in; what turns for ever is not waited for.
SETTLE = """() => Promise.allSettled(
    document.getAnimations()
        .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime))
        .map((one) => one.finished)
)"""


# A finding weighs what its rule weighs, so the lighter rules need not run.
FIND = """() => axe.run({
    resultTypes: ['violations'],
    rules: Object.fromEntries(
        axe._audit.rules
            .filter((rule) => ['minor', 'moderate'].includes(rule.impact))
            .map((rule) => [rule.id, { enabled: false }])
    ),
}).then((answer) => answer.violations)"""


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

    def __call__(self, address: str, look: Look | None = None) -> Page:
        look = look or Look()
        context = self._browser.new_context(
            locale=look.language,
            color_scheme=look.theme,
            viewport=PHONE if look.phone else self.wide,
            has_touch=look.phone,
            reduced_motion="reduce" if self.still else "no-preference",
        )
        self._contexts.append(context)
        self._home = "/".join(address.split("/")[:3])
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", self._see)
        page.goto(address)
        return page

    def _hear(self, message: ConsoleMessage) -> None:
        refusal = message.text.startswith("Failed to load resource")
        if message.type in ("error", "warning") and not (refusal and self.refusals_expected):
            self.problems.append(message.text)

    def _see(self, request: Request) -> None:
        own = (self._home, self._home.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(own):
            self.problems.append(f"a request to a stranger: {request.url}")

    def close(self) -> None:
        while self._contexts:
            self._contexts.pop().close()


def violations(page: Page) -> list[str]:
    """What axe finds serious or critical."""
    page.evaluate(SETTLE)
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = page.evaluate(FIND)
    return [
        f"{one['id']}: {one['nodes'][0]['html']} {one['nodes'][0]['failureSummary']}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    pixels: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return pixels


def assert_good(page: Page) -> None:
    found = violations(page)
    assert not found, found
    assert overflow(page) <= 0, f"{overflow(page)} pixels too wide"
