"""Questions that plugins ask the user: captchas and passwords."""

from typing import Literal, NamedTuple, Protocol

CaptchaKind = Literal["recaptcha", "hcaptcha", "turnstile", "image"]


class QuestionContext(NamedTuple):
    """Which plugin asks, and for which link."""

    plugin_id: str
    plugin_name: str
    link: str
    name: str


class Questions(Protocol):
    """Asks the user; raises a plugin error, usually `Temporary`, if there is no answer."""

    async def captcha(
        self,
        kind: CaptchaKind,
        *,
        about: QuestionContext,
        site_key: str = "",
        page_url: str = "",
        image: bytes | None = None,
        enterprise: bool = False,
        wrong: bool = False,
    ) -> str: ...

    async def captcha_refused(self, about: QuestionContext) -> None:
        """Note that the hoster did not accept the last answer."""
        ...

    async def password(self, link: str, *, wrong: bool, about: QuestionContext) -> str: ...
