from litestar import Response, get, post
from litestar.params import FromPath

from quartet.downloads.captchas.service import Captchas
from quartet.downloads.captchas.types import Captcha, Solution
from quartet.downloads.captchas.userscript import NAME, server_address, userscript
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.service import Kernel, header
from quartet.kernel.web import PUBLIC, Injected, JSONBody, Request


@get("/api/captchas")
async def list_captchas(captchas: Injected[Captchas]) -> list[Captcha]:
    """List captchas and other questions waiting for an answer, oldest first."""
    return captchas.waiting()


@post("/api/captchas/{captcha_id:str}/cancel", status_code=204)
async def cancel_captcha(captcha_id: FromPath[str], captchas: Injected[Captchas]) -> None:
    """Cancel a question; the download that needs it is retried later."""
    captchas.cancel(captcha_id)


@post("/api/captcha/solve", status_code=204, **PUBLIC)
async def solve_captcha(data: JSONBody[Solution], captchas: Injected[Captchas]) -> None:
    """Answer a question, authorised by its secret. The first valid answer is used.

    400 `answer_empty`, 403 `secret_wrong`, 404 `not_found` for an unknown question, 409
    `already_answered`, 410 `question_gone` if it was cancelled or has expired.
    """
    captchas.solve(data)


@get(f"/api/captcha/{NAME}", media_type="text/javascript", **PUBLIC)
async def read_userscript(
    request: Request, kernel: Injected[Kernel[DownloadsSettings]]
) -> Response[str]:
    """Return the userscript that sends captchas solved on a hoster's page to this server."""
    settings = kernel.settings
    host = header(request, "host")
    scheme = request.scope["scheme"]
    server = server_address(scheme, host, settings.base_path, settings.public_url)
    return Response(userscript(server), media_type="text/javascript")


ROUTES = [list_captchas, cancel_captcha, solve_captcha, read_userscript]
