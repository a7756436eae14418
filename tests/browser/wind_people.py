"""People with an account on the wind site, in a browser."""

from typing import Any

from playwright.sync_api import CDPSession, Page, expect

from tests.browser.wind_demo import Demo

PASSWORD = "wind from the west"


def named(demo: Demo) -> str:
    """Browsers offer no passkeys for numbers."""
    return demo.address.replace("127.0.0.1", "localhost")


# A virtual authenticator does not wait for somebody to choose it from the list below a field.
NO_LIST = "PublicKeyCredential.isConditionalMediationAvailable = async () => false"


class Devices:
    """Chromium's virtual authenticators; only the one in hand answers."""

    def __init__(self, page: Page) -> None:
        self._cdp: CDPSession = page.context.new_cdp_session(page)
        self._cdp.send("WebAuthn.enable")
        self._in_hand = ""

    def take(self, transport: str = "internal") -> str:
        """Takes a new one in hand, and lays the other aside."""
        if self._in_hand:
            self._answers(self._in_hand, False)
        options: dict[str, Any] = {
            "protocol": "ctap2",
            "transport": transport,
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        made = self._cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self._in_hand = made["authenticatorId"]
        return self._in_hand

    def count(self, device: str) -> int:
        """How many passkeys it holds."""
        found = self._cdp.send("WebAuthn.getCredentials", {"authenticatorId": device})
        return len(found["credentials"])

    def _answers(self, device: str, enabled: bool) -> None:
        self._cdp.send(
            "WebAuthn.setAutomaticPresenceSimulation",
            {"authenticatorId": device, "enabled": enabled},
        )


def sign_up_with_password(page: Page, home: str, email: str) -> None:
    """On the page that asks for it."""
    page.locator("input[name=name]").fill("Ada")
    page.locator("input[name=email]").fill(email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{home}/spots")


def choose_in_menu(page: Page, entry: str) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("menuitem", name=entry).click()
