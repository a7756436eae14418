"""Users of the wind site, in a browser."""

from typing import Any

from playwright.sync_api import CDPSession, Page, expect

from tests.browser.wind_demo import Demo

PASSWORD = "wind from the west"


def localhost_address(demo: Demo) -> str:
    """Replace the IP address by localhost: browsers offer no passkeys for IP addresses."""
    return demo.address.replace("127.0.0.1", "localhost")


# A virtual authenticator answers at once, without a choice in the autofill list.
NO_AUTOFILL = "PublicKeyCredential.isConditionalMediationAvailable = async () => false"


class Devices:
    """Chromium's virtual authenticators, of which only the current one answers."""

    def __init__(self, page: Page) -> None:
        self._cdp: CDPSession = page.context.new_cdp_session(page)
        self._cdp.send("WebAuthn.enable")
        self._current = ""

    def add(self, transport: str = "internal") -> str:
        """Add a new authenticator and disable the current one."""
        if self._current:
            self._answers(self._current, False)
        options: dict[str, Any] = {
            "protocol": "ctap2",
            "transport": transport,
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        made = self._cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self._current = made["authenticatorId"]
        return self._current

    def count(self, device: str) -> int:
        """Return the number of passkeys that the authenticator holds."""
        found = self._cdp.send("WebAuthn.getCredentials", {"authenticatorId": device})
        return len(found["credentials"])

    def _answers(self, device: str, enabled: bool) -> None:
        self._cdp.send(
            "WebAuthn.setAutomaticPresenceSimulation",
            {"authenticatorId": device, "enabled": enabled},
        )


def sign_up_with_password(page: Page, home: str, email: str) -> None:
    """Sign up on the current page."""
    page.locator("input[name=name]").fill("Ada")
    page.locator("input[name=email]").fill(email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{home}/spots")


def choose_in_menu(page: Page, entry: str) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("menuitem", name=entry).click()
