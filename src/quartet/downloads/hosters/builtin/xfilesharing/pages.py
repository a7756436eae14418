"""Parses the pages of XFileSharing sites, independent of their design.

All repetitions are bounded, because pages are untrusted and a search cannot be interrupted.
"""

import re
from datetime import datetime
from urllib.parse import urlsplit

from quartet.downloads.hosters.builtin._pages import (
    HtmlForm,
    anchors,
    forms,
    resolved_url,
    seconds_in,
    size_in,
)
from quartet.downloads.hosters.builtin._responses import (
    PASSWORD_PROTECTED,
    PREMIUM_ONLY,
    TRAFFIC_USED_UP,
    UNAVAILABLE,
    UNEXPECTED,
    require_available,
)
from quartet.downloads.hosters.questions import CaptchaKind
from quartet.downloads.hosters.sdk import Context, HosterLimit, Offline, Page, Text

BETWEEN = Text(
    de="Bis zum nächsten Download muss gewartet werden.",
    en="The next download has to wait.",
)
_GONE = r"(file not found|no such file|file (?:was|has been) (?:removed|deleted)|file expired)"
_WAIT = r"you have to wait ([^<]{1,80}?)(?: till| until| before|<|\.)"
_LIMIT = r"(reached (?:the|your) download[- ]?limit)"
_PREMIUM = r"((?:available|allowed|only) for premium|premium users only)"
_PLACES = frozenset({"d", "dl", "files", "dl.cgi"})
_DIGIT = re.compile(
    r"padding-left:\s?(\d{1,4})px[^>]{0,100}>\s?(?:&#(\d{2});|(\d))\s?</span>", re.IGNORECASE
)
_WIDGETS: tuple[tuple[CaptchaKind, str, str], ...] = (
    ("recaptcha", "g-recaptcha", "g-recaptcha-response"),
    ("hcaptcha", "h-captcha", "h-captcha-response"),
    ("turnstile", "cf-turnstile", "cf-turnstile-response"),
)


def require_no_error(page: Page) -> Page:
    """Raise the error that a page reports, if any."""
    if page.status in (404, 410) or page.find(_GONE):
        raise Offline
    if waiting := page.find(_WAIT):
        raise HosterLimit(BETWEEN, seconds=seconds_in(waiting) or None)
    if page.find(_LIMIT):
        raise TRAFFIC_USED_UP.error()
    if page.find(r"(wrong password)"):
        raise PASSWORD_PROTECTED.error()
    if page.find(r"(under maintenance|maintenance mode)"):
        raise UNAVAILABLE.error()
    return require_available(page)


def next_form(page: Page) -> HtmlForm:
    found = forms(page.text)
    for step in ("download2", "download1"):
        for form in found:
            if form.has(op=step):
                return form
    # Checked last, because working pages advertise with the same words.
    raise PREMIUM_ONLY.error() if page.find(_PREMIUM) else UNEXPECTED.error()


def file_link(page: Page) -> str | None:
    if page.file:
        return page.url
    for anchor in anchors(page.text):
        address = resolved_url(page.url, anchor.get("href", ""))
        parts = urlsplit(address)
        if parts.scheme in ("http", "https") and _PLACES.intersection(parts.path.split("/")[:-2]):
            return address
    return None


def countdown(page: Page) -> float:
    found = page.find(r'class="seconds"[^>]{0,100}>(\d{1,5})<') or page.find(
        r'id="countdown\w{0,20}"[^>]{0,100}>[^<]{0,50}(?:<[^>]{0,100}>)?\s{0,5}(\d{1,5})'
    )
    return float(found or 0)


async def captcha(page: Page, ctx: Context) -> dict[str, str]:
    """Solve the captcha of a page; return the form fields, empty if there is no captcha."""
    key = page.find(r'data-sitekey="([\w-]{1,200})"')
    for kind, mark, field in _WIDGETS:
        if key and mark in page.text:
            return {field: await ctx.captcha(kind, site_key=key, page_url=page.url)}
    if image := page.find(r'src="([^"]{0,300}/captchas/[^"]{1,200})"'):
        picture = await ctx.http.get(resolved_url(page.url, image), read=True)
        return {"code": await ctx.captcha("image", image=picture.body)}
    if digits := _DIGIT.findall(page.text):
        # The digits are in random order, and are positioned by their left padding.
        shown = sorted(digits, key=lambda each: int(each[0]))
        return {"code": "".join(chr(int(code)) if code else digit for _, code, digit in shown)}
    return {}


def captcha_was_wrong(page: Page) -> bool:
    return page.find(r"((?:wrong|invalid|incorrect) (?:captcha|verification code))") is not None


def premium_until(page: Page) -> float | None:
    text = re.sub(r"<[^<>]{0,500}>", " ", page.text)
    found = re.search(
        r"premium[^.\d]{0,60}expires?[^\d]{0,60}(\d{1,2} [a-z]{3,9} \d{4})", text, re.IGNORECASE
    )
    try:
        when = datetime.strptime(f"{found[1] if found else ''} +0000", "%d %B %Y %z")
    except ValueError:
        return None
    return max(0.0, when.timestamp())


def traffic_left(page: Page) -> int | None:
    text = re.sub(r"<[^<>]{0,500}>", " ", page.text)
    found = re.search(r"traffic available[^\d]{0,60}([\d.]{1,12} ?[kmgt]?b)", text, re.IGNORECASE)
    return size_in(found[1]) if found else None
