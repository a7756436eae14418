import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from quartet.downloads.captchas.types import Captcha, Question, Solution
from quartet.downloads.events import Changed
from quartet.downloads.packages.sections import OpenQuestions
from quartet.kernel.auth import secrets_match
from quartet.kernel.clock import now_ms
from quartet.kernel.errors import AppError
from quartet.kernel.events import EventHub

log = logging.getLogger("quartet.downloads.captchas")

ANSWER_SECONDS = 600.0
MOST_WAITING = 100
# How many ended questions are remembered, to report how they ended.
MOST_ENDED = 500
# Passwords are used as entered; in all other answers, surrounding spaces are removed.
_PASSWORDS = ("password", "archivePassword")

EndReason = Literal["answered", "cancelled", "expired"]


# Returns the ids and package ids of the downloads with a link.
FindDownloads = Callable[[str], Awaitable[Sequence[tuple[int, int]]]]


@dataclass
class _WaitingQuestion:
    captcha: Captcha
    answer: asyncio.Future[str]
    asking: OpenQuestions = field(default_factory=OpenQuestions)


async def _find_nothing(link: str) -> Sequence[tuple[int, int]]:
    return []


async def _report_nothing(link: str) -> None:
    pass


async def _no_answer(question: Question) -> str | None:
    return None


class Captchas:
    """Questions waiting for an answer, kept in memory together with the callers that wait.

    All methods run in the event loop without awaiting between check and change, so of two
    simultaneous answers exactly one is accepted.
    """

    def __init__(
        self,
        events: EventHub,
        find_downloads: FindDownloads = _find_nothing,
        *,
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._events = events
        self._find_downloads = find_downloads
        self._seconds = seconds
        # Asks a captcha service; returns None if there is none, or if it has no answer.
        self.assist: Callable[[Question], Awaitable[str | None]] = _no_answer
        # Tells a captcha service that its answer for a link was refused.
        self.report_wrong: Callable[[str], Awaitable[None]] = _report_nothing
        self._waiting: dict[str, _WaitingQuestion] = {}
        self._ended: OrderedDict[str, tuple[str, EndReason]] = OrderedDict()

    def waiting(self) -> list[Captcha]:
        """Return the waiting questions, oldest first."""
        return [each.captcha for each in self._waiting.values()]

    def asking(self) -> OpenQuestions:
        """Return the downloads and packages that wait for an answer."""
        waiting = [each.asking for each in self._waiting.values()]
        return OpenQuestions(
            {id for each in waiting for id in each.downloads},
            {id for each in waiting for id in each.packages},
        )

    async def ask(self, question: Question) -> str:
        """Wait for the answer; raises if it does not come in time or the question is cancelled."""
        if len(self._waiting) >= MOST_WAITING:
            raise AppError(503, "too_many_questions", limit=MOST_WAITING)
        captcha = self._new_captcha(question)
        waiting = _WaitingQuestion(captcha, asyncio.get_running_loop().create_future())
        self._waiting[captcha.id] = waiting
        self._publish_changed()
        helper = asyncio.create_task(self._use_service(waiting))
        try:
            async with asyncio.timeout(self._seconds):
                waiting.asking = await self._asking(question)
                self._publish_downloads(waiting.asking)
                return await waiting.answer
        except TimeoutError:
            raise AppError(504, "question_expired") from None
        finally:
            helper.cancel()
            # Also if the caller was cancelled, because then the answer is no longer needed.
            self._end(captcha.id, "expired")

    def solve(self, given: Solution) -> None:
        waiting = self._authorised(given)
        is_password = waiting.captcha.kind in _PASSWORDS
        token = given.token if is_password else given.token.strip()
        if not token:
            raise AppError(400, "answer_empty")
        self._end(given.id, "answered")
        waiting.answer.set_result(token)
        log.info("question of %s answered by the user", waiting.captcha.host)

    def cancel(self, id: str) -> None:
        waiting = self._waiting.get(id)
        if waiting is None or waiting.answer.done():
            raise AppError(404, "not_found", path=id)
        self._end(id, "cancelled")
        waiting.answer.set_exception(AppError(409, "question_cancelled"))

    async def _use_service(self, waiting: _WaitingQuestion) -> None:
        """Let a captcha service answer, unless the user is faster."""
        if waiting.captcha.kind in _PASSWORDS:
            return
        try:
            answer = await self.assist(waiting.captcha)
        except Exception:
            # The user can still answer.
            log.exception("a captcha service failed")
            return
        if answer and not waiting.answer.done():
            self._end(waiting.captcha.id, "answered")
            waiting.answer.set_result(answer)

    def _authorised(self, given: Solution) -> _WaitingQuestion:
        """Check the secret first: without it, a caller must not learn how a question ended."""
        waiting = self._waiting.get(given.id)
        secret, end = self._ended.get(given.id, ("", None))
        if waiting is None and end is None:
            raise AppError(404, "not_found", path=given.id)
        if not secrets_match(given.secret, waiting.captcha.secret if waiting else secret):
            raise AppError(403, "secret_wrong")
        if end == "answered":
            raise AppError(409, "already_answered")
        # The caller has just stopped waiting.
        if waiting is None or waiting.answer.done():
            raise AppError(410, "question_gone")
        return waiting

    def _new_captcha(self, question: Question) -> Captcha:
        now = now_ms()
        return Captcha(
            **msgspec.structs.asdict(question),
            id=secrets.token_hex(8),
            secret=secrets.token_hex(32),
            host=_host(question.page_url or question.link),
            created_at=now,
            expires_at=now + int(self._seconds * 1000),
        )

    def _end(self, id: str, how: EndReason) -> None:
        waiting = self._waiting.pop(id, None)
        if waiting is None:
            return
        self._ended[id] = (waiting.captcha.secret, how)
        if len(self._ended) > MOST_ENDED:
            self._ended.popitem(last=False)
        self._publish_changed()
        self._publish_downloads(waiting.asking)

    async def _asking(self, question: Question) -> OpenQuestions:
        found = await self._find_downloads(question.link) if question.link else []
        packages = {package_id for _, package_id in found}
        if question.package_id is not None:
            packages.add(question.package_id)
        return OpenQuestions([id for id, _ in found], packages)

    def _publish_changed(self) -> None:
        self._events.publish(Changed("captchas"))

    def _publish_downloads(self, asking: OpenQuestions) -> None:
        if asking.packages:
            ids = sorted(asking.packages), sorted(asking.downloads) or None
            self._events.publish(Changed("downloads", *ids))


def _host(address: str | None) -> str | None:
    try:
        return urlsplit(address or "").hostname
    except ValueError:
        return None
