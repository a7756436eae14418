"""The pages of the demo, and signing in to it."""

import re
from functools import partial

from playwright.sync_api import APIRequestContext, APIResponse

from tests.browser.visits import SignIn

PAGES = {
    "downloads": "/ /grabber /captchas /done /history /rules /feeds /accounts /plugins /settings"
    " /system /audit /account",
    "sync": "/ /sharing /activity /history /settings /system /audit /devices/1 /folders/1"
    " /folders/1/files",
    "media": "/ /rename /inbox /history /watch /formats /settings /system /audit /account",
    "wind": "/ /map /spots /gear /account /status /settings /station/hamburg-airport-eddh"
    " /point?lat=54.3&lon=8.6 /spots/1 /verification /verification/hamburg-airport-eddh /sign-up"
    " /imprint /privacy /attribution",
}


def sign_in(address: str, table: str, service: str) -> SignIn | None:
    """Sign in with the password that the demo has printed; media is open to this machine."""
    return None if service == "media" else partial(_sign_in, address, table, service)


def _sign_in(address: str, table: str, service: str, request: APIRequestContext) -> APIResponse:
    found = re.search(rf"^  {service} .* password (\S+)", table, re.MULTILINE)
    password = found[1] if found else ""
    path, body = {
        "downloads": ("api/auth/login", {"user": "demo", "password": password}),
        "sync": ("api/login", {"password": password}),
        "wind": ("api/auth/signin/password", {"email": "demo@example.org", "password": password}),
    }[service]
    return request.post(f"{address}/{path}", data=body, headers={"Origin": address})
