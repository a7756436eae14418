"""Questions only a person can answer. Plugins ask them; somebody else puts them to the user."""

from typing import Literal, NamedTuple, Protocol

CaptchaKind = Literal["recaptcha", "hcaptcha", "turnstile", "image"]


class About(NamedTuple):
    """Who asks, and for which link."""

    plugin_id: str
    plugin_name: str
    link: str
    name: str


class Ask(Protocol):
    """Raises a plugin error, best `Temporary`, when no answer comes."""

    async def captcha(
        self,
        kind: CaptchaKind,
        *,
        about: About,
        site_key: str = "",
        page_url: str = "",
        image: bytes | None = None,
        enterprise: bool = False,
    ) -> str: ...

    async def password(self, link: str, *, wrong: bool, about: About) -> str: ...
