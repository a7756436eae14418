"""The context that a plugin gets with each call; used in the call's thread."""

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypedDict, TypeVar, Unpack

from quartet.downloads.hosters.call_timer import CallTimer
from quartet.downloads.hosters.errors import Fatal, Temporary
from quartet.downloads.hosters.plugin_types import Account, Page
from quartet.downloads.hosters.questions import CaptchaKind, QuestionContext, Questions
from quartet.kernel.errors import AppError, Problem, problem_of

T = TypeVar("T")

LONGEST_WAIT = 600.0
MAX_QUESTIONS = 10
_LONGEST_LINE = 4000


class RequestOptions(TypedDict, total=False):
    """Send one of `form`, `json` and `body`. `timeout` is in seconds, default 60, at most 300.

    With `follow=False`, redirects are returned. With `read=True`, files are read too, such as the
    image of a captcha.
    """

    query: Mapping[str, str]
    headers: Mapping[str, str]
    form: Mapping[str, str]
    json: object
    body: bytes
    timeout: float
    follow: bool
    read: bool


class HttpBackend(Protocol):
    """Sends the requests, in the server's event loop."""

    async def request(self, method: str, url: str, options: RequestOptions) -> Page: ...

    async def cookies(self, url: str) -> dict[str, str]: ...

    async def set_cookie(self, url: str, name: str, value: str) -> None: ...


class LoopBridge:
    """Runs a coroutine of a plugin's event loop in the server's loop and returns its result."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    async def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            there = asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            work.close()  # the server has stopped in the meantime
            raise
        return await asyncio.wrap_future(there)


class Http:
    """HTTP requests with one cookie jar per plugin and account, which survives restarts."""

    def __init__(self, browser: HttpBackend, bridge: LoopBridge) -> None:
        self._browser = browser
        self._bridge = bridge

    async def get(self, url: str, **options: Unpack[RequestOptions]) -> Page:
        return await self.request("GET", url, **options)

    async def post(self, url: str, **options: Unpack[RequestOptions]) -> Page:
        return await self.request("POST", url, **options)

    async def request(self, method: str, url: str, **options: Unpack[RequestOptions]) -> Page:
        """Return the response of any status; raise `Temporary` if the server is unreachable."""
        try:
            return await self._bridge(self._browser.request(method, url, options))
        except AppError as error:
            kind = Temporary if error.status >= 500 else Fatal
            raise kind(problem_of(error)) from None

    async def cookies(self, url: str) -> dict[str, str]:
        """Return the cookies that would be sent to this address, e.g. to pass them to `File`."""
        return await self._bridge(self._browser.cookies(url))

    async def set_cookie(self, url: str, name: str, value: str) -> None:
        await self._bridge(self._browser.set_cookie(url, name, value))


class Context:
    def __init__(
        self,
        *,
        asker: QuestionContext,
        account: Account | None,
        browser: HttpBackend,
        questions: Questions,
        bridge: LoopBridge,
        timer: CallTimer,
        password: str | None = None,
        proxy: str | None = None,
        allow_private: bool | Sequence[str] = False,
    ) -> None:
        self.http = Http(browser, bridge)
        # For programs that a plugin starts; `http` already uses it.
        self.proxy = proxy
        # The private addresses that such programs may reach: all, or a list.
        self.allow_private = allow_private
        self.account = account
        # The password given with the link, for hosters that want it with the first request.
        self.saved_password = password
        # The password the user entered; stored if it was correct.
        self.entered_password: str | None = None
        self._asker = asker
        self._questions = questions
        self._bridge = bridge
        self._timer = timer
        self._question_count = 0
        self._captcha_refused = False
        self._log = logging.getLogger(f"quartet.downloads.plugin.{asker.plugin_id}")

    async def captcha(
        self,
        kind: CaptchaKind,
        *,
        site_key: str = "",
        page_url: str = "",
        image: bytes | None = None,
        enterprise: bool = False,
    ) -> str:
        """Return the token of a solved captcha, or the text of an image."""
        wrong, self._captcha_refused = self._captcha_refused, False
        return await self._ask_user(
            self._questions.captcha(
                kind,
                about=self._asker,
                site_key=site_key,
                page_url=page_url,
                image=image,
                enterprise=enterprise,
                wrong=wrong,
            )
        )

    async def captcha_refused(self) -> None:
        """Say that the hoster did not accept the last answer.

        The next question says so, and the captcha service that gave the answer is notified.
        """
        self._captcha_refused = True
        await self._bridge(self._questions.captcha_refused(self._asker))

    async def password(self, *, wrong: bool = False) -> str:
        """Return the download password: the one given with the link, unless it was wrong."""
        if self.saved_password and not wrong:
            return self.saved_password
        question = self._questions.password(self._asker.link, wrong=wrong, about=self._asker)
        self.entered_password = await self._ask_user(question)
        return self.entered_password

    async def wait(self, seconds: float) -> None:
        """Wait as the hoster demands. A wait that is too long is spent in the queue instead."""
        if self._timer.waited + seconds > LONGEST_WAIT:
            raise Temporary(seconds=seconds)
        with self._timer.waiting(seconds):
            await asyncio.sleep(max(seconds, 0))

    def log(self, text: str) -> None:
        self._log.info("%s", self.clean(text))

    def clean(self, value: object) -> str:
        """Return text from a plugin in a form that can be stored, without the account's secret."""
        try:
            text = str(value)
        except Exception:  # noqa: BLE001 - even str() of a foreign object may fail
            text = type(value).__name__
        text = text.encode("utf-8", "replace").decode().replace("\0", "")
        secret = self.account.secret if self.account else ""
        return (text.replace(secret, "***") if secret else text)[:_LONGEST_LINE]

    async def _ask_user(self, question: Coroutine[Any, Any, str]) -> str:
        self._question_count += 1
        if self._question_count > MAX_QUESTIONS:
            question.close()
            raise Temporary(Problem("plugin_timeout", {"plugin": self._asker.plugin_name}))
        with self._timer.waiting():
            return await self._bridge(question)
