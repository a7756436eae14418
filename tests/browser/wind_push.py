"""Push notifications in Chromium without its vendor's push service.

Offline, Chromium cannot ask that service for a subscription. The script given to the page returns
one with real keys at a local service; everything else works as in any browser.
"""

import json
from typing import Any

from playwright.sync_api import CDPSession, Page

from tests.browser.visits import wait_for_script
from tests.browser.wind_user_data import wait_until
from tests.push_service import Browser

# Stored like in a real browser, across reloads, together with the only key that may send.
SUBSCRIBE = """(() => {
    const given = %s;
    const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
        .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');
    const subscription = {
        endpoint: given.endpoint,
        toJSON: () => given,
        unsubscribe: async () => { localStorage.removeItem('sender'); return true; },
    };
    PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
        if (!userVisibleOnly) throw new DOMException('', 'NotAllowedError');
        localStorage.setItem('sender', text(applicationServerKey));
        return subscription;
    };
    PushManager.prototype.getSubscription = async () =>
        localStorage.getItem('sender') === null ? null : subscription;
})()"""
# Simulates a click. A scripted event cannot extend the life of the worker, so `waitUntil` is
# replaced.
PRESS = """async () => {
    const [notification] = await self.registration.getNotifications();
    const press = new NotificationEvent('notificationclick', { notification });
    press.waitUntil = () => undefined;
    self.dispatchEvent(press);
}"""
SHOWN = """async () => {
    const worker = await navigator.serviceWorker.ready;
    const shown = await worker.getNotifications();
    return shown.map(({ title, body, tag }) => ({ title, body, tag }));
}"""


class Notifications:
    """The notifications shown in the browser of `page`."""

    def __init__(self, page: Page, home: str) -> None:
        self._page, self._home = page, home
        self._workers: list[str] = []
        page.context.grant_permissions(["notifications"], origin=home)
        self._cdp: CDPSession = page.context.new_cdp_session(page)

    def subscribe_at(self, browser: Browser) -> None:
        self._page.add_init_script(SUBSCRIBE % json.dumps(browser.subscription()))
        self._page.reload()

    @property
    def sender(self) -> str | None:
        """Return the key whose messages the browser accepts while it is subscribed."""
        key: str | None = self._page.evaluate("localStorage.getItem('sender')")
        return key

    def deliver(self, payload: dict[str, Any]) -> None:
        """Deliver a message as the push service would."""
        self._page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        wait_for_script(self._page, "navigator.serviceWorker.controller !== null")
        self._cdp.on("ServiceWorker.workerRegistrationUpdated", self._on_registration)
        self._cdp.send("ServiceWorker.enable")
        wait_until(self._page, lambda: bool(self._workers))
        where = {"origin": self._home, "registrationId": self._workers[-1]}
        self._cdp.send("ServiceWorker.deliverPushMessage", {**where, "data": json.dumps(payload)})

    def wait_for(self, *messages: dict[str, Any]) -> None:
        shown = [{key: one[key] for key in ("title", "body", "tag")} for one in messages]
        wait_until(self._page, lambda: bool(self._page.evaluate(SHOWN) == shown))

    def press(self) -> None:
        self._page.context.service_workers[0].evaluate(PRESS)

    def _on_registration(self, event: dict[str, Any]) -> None:
        self._workers.extend(one["registrationId"] for one in event["registrations"])
