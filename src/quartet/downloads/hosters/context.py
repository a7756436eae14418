"""What a plugin is handed with each call. It lives in the thread of the call."""

import asyncio
import logging
from collections.abc import Coroutine, Mapping
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

from quartet.downloads.hosters.ask import About, Ask, CaptchaKind
from quartet.downloads.hosters.clock import Clock
from quartet.downloads.hosters.errors import Fatal, Temporary
from quartet.downloads.hosters.shapes import Account, Page
from quartet.kernel.errors import AppError, Problem, problem_of

T = TypeVar("T")

LONGEST_WAIT = 600.0
MOST_QUESTIONS = 10
_LONGEST_LINE = 4000


class RequestOptions(TypedDict, total=False):
    """One of `form`, `json` and `body` is sent; `timeout` in seconds, 60 unless told, 300 at most.

    Without `follow` a redirect is the answer. With `read` also a file is read, such as the image
    of a captcha.
    """

    query: Mapping[str, str]
    headers: Mapping[str, str]
    form: Mapping[str, str]
    json: object
    body: bytes
    timeout: float
    follow: bool
    read: bool


class Browser(Protocol):
    """Where requests are really made: in the server's own loop."""

    async def request(self, method: str, url: str, options: RequestOptions) -> Page: ...

    async def cookies(self, url: str) -> dict[str, str]: ...

    async def set_cookie(self, url: str, name: str, value: str) -> None: ...


class Ferry:
    """Takes work from a plugin's loop to the server's, and brings back what comes of it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    async def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            there = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()  # the server has ended meanwhile
            raise
        return await asyncio.wrap_future(there)


class Http:
    """One cookie jar for each plugin and account, kept over restarts."""

    def __init__(self, browser: Browser, ferry: Ferry) -> None:
        self._browser = browser
        self._ferry = ferry

    async def get(self, url: str, **options: Unpack[RequestOptions]) -> Page:
        return await self.request("GET", url, **options)

    async def post(self, url: str, **options: Unpack[RequestOptions]) -> Page:
        return await self.request("POST", url, **options)

    async def request(self, method: str, url: str, **options: Unpack[RequestOptions]) -> Page:
        """Any status is an answer; what cannot be reached is `Temporary`."""
        try:
            return await self._ferry(self._browser.request(method, url, options))
        except AppError as error:
            kind = Temporary if error.status >= 500 else Fatal
            raise kind(problem_of(error)) from None

    async def cookies(self, url: str) -> dict[str, str]:
        """Those that would be sent to this address, for instance to hand them to `File`."""
        return await self._ferry(self._browser.cookies(url))

    async def set_cookie(self, url: str, name: str, value: str) -> None:
        await self._ferry(self._browser.set_cookie(url, name, value))


class Context:
    def __init__(
        self,
        *,
        about: About,
        account: Account | None,
        browser: Browser,
        ask: Ask,
        ferry: Ferry,
        clock: Clock,
        password: str | None = None,
        proxy: str | None = None,
    ) -> None:
        self.http = Http(browser, ferry)
        # For programs a plugin starts: `http` goes through it by itself.
        self.proxy = proxy
        self.account = account
        # What came with the link, for hosters that want it with the first request.
        self.saved_password = password
        # What a person answered, to be kept if it was right.
        self.answered: str | None = None
        self._about = about
        self._ask = ask
        self._ferry = ferry
        self._clock = clock
        self._questions = 0
        self._log = logging.getLogger(f"quartet.downloads.plugin.{about.plugin_id}")

    async def captcha(
        self,
        kind: CaptchaKind,
        *,
        site_key: str = "",
        page_url: str = "",
        image: bytes | None = None,
        enterprise: bool = False,
    ) -> str:
        """The token of a solved captcha, or the text of an image."""
        return await self._asked(
            self._ask.captcha(
                kind,
                about=self._about,
                site_key=site_key,
                page_url=page_url,
                image=image,
                enterprise=enterprise,
            )
        )

    async def password(self, *, wrong: bool = False) -> str:
        """The download password: the one given with the link, unless that was wrong."""
        if self.saved_password and not wrong:
            return self.saved_password
        question = self._ask.password(self._about.link, wrong=wrong, about=self._about)
        self.answered = await self._asked(question)
        return self.answered

    async def wait(self, seconds: float) -> None:
        """What a hoster makes people wait; what is too long for that is waited for in the queue."""
        if self._clock.waited + seconds > LONGEST_WAIT:
            raise Temporary(seconds=seconds)
        with self._clock.waiting(seconds):
            await asyncio.sleep(max(seconds, 0))

    def log(self, text: str) -> None:
        self._log.info("%s", self.clean(text))

    def clean(self, said: object) -> str:
        """Whatever a plugin says: text that can be stored, without the secret of the account."""
        try:
            text = str(said)
        except Exception:  # noqa: BLE001 - foreign objects may fail even when they are printed
            text = type(said).__name__
        text = text.encode("utf-8", "replace").decode().replace("\0", "")
        secret = self.account.secret if self.account else ""
        return (text.replace(secret, "***") if secret else text)[:_LONGEST_LINE]

    async def _asked(self, question: Coroutine[Any, Any, str]) -> str:
        self._questions += 1
        if self._questions > MOST_QUESTIONS:
            question.close()
            raise Temporary(Problem("plugin_timeout", {"plugin": self._about.plugin_name}))
        with self._clock.waiting():
            return await self._ferry(question)
