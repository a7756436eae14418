"""Asks the user the questions of plugins; implements `Questions` of the hosters package."""

from base64 import b64encode

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.captchas.types import Question
from quartet.downloads.hosters.errors import Temporary
from quartet.downloads.hosters.questions import CaptchaKind, QuestionContext
from quartet.kernel.errors import AppError, problem_of

# The delay before the user is asked again after not answering.
LATER_SECONDS = 30 * 60
LARGEST_IMAGE = 1 << 20
# Image formats that every browser shows and that cannot contain scripts, by their first bytes.
_PICTURES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}


class PluginQuestions:
    def __init__(self, captchas: Captchas) -> None:
        self._captchas = captchas

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
    ) -> str:
        question = Question(
            kind=kind,
            site_key=site_key or None,
            page_url=page_url or None,
            image=None if image is None else data_url(image),
            enterprise=enterprise,
            wrong=wrong,
            **about._asdict(),
        )
        return await self._ask(question)

    async def captcha_refused(self, about: QuestionContext) -> None:
        await self._captchas.report_wrong(about.link)

    async def password(self, link: str, *, wrong: bool, about: QuestionContext) -> str:
        about = about._replace(link=link)
        return await self._ask(Question(kind="password", wrong=wrong, **about._asdict()))

    async def _ask(self, question: Question) -> str:
        try:
            return await self._captchas.ask(question)
        except AppError as error:
            raise Temporary(problem_of(error), seconds=LATER_SECONDS) from error


def data_url(data: bytes) -> str:
    """Return the image as a data URL."""
    kind = next((kind for start, kind in _PICTURES.items() if data.startswith(start)), None)
    if kind is None or len(data) > LARGEST_IMAGE:
        raise Temporary(problem_of(AppError(502, "picture_unusable")))
    return f"data:{kind};base64,{b64encode(data).decode()}"
