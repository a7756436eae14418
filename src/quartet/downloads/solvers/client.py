"""The two protocols of captcha services, which most of them share."""

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Protocol

from quartet.downloads.captchas.types import Question
from quartet.downloads.solvers.types import MICRO, Solved, StoredSolver
from quartet.kernel.errors import AppError

if TYPE_CHECKING:
    # Imported late, because it is not needed at startup.
    from quartet.kernel.outbound import OutboundClient

SECONDS = 30.0
MOST_BYTES = 256 * 1024
_LONGEST_CODE = 60
_NOT_READY = "CAPCHA_NOT_READY"
_TASKS = {
    "recaptcha": "RecaptchaV2TaskProxyless",
    "hcaptcha": "HCaptchaTaskProxyless",
    "turnstile": "TurnstileTaskProxyless",
}
_METHODS = {"recaptcha": "userrecaptcha", "hcaptcha": "hcaptcha", "turnstile": "turnstile"}
_ANSWERS = ("gRecaptchaResponse", "token", "text")


class SolverClient(Protocol):
    async def balance(self) -> int: ...

    async def submit(self, question: Question) -> str: ...

    async def result(self, task: str) -> Solved | None:
        """Return None while the captcha is being solved."""
        ...

    async def report_wrong(self, task: str) -> None:
        """Say that the hoster refused the answer; services then usually return the cost."""
        ...


def client_for(outbound: "OutboundClient", solver: StoredSolver) -> SolverClient:
    kind = JsonClient if solver.protocol == "json" else FormClient
    return kind(outbound, solver)


class JsonClient:
    def __init__(self, outbound: "OutboundClient", solver: StoredSolver) -> None:
        self._outbound = outbound
        self._solver = solver

    async def balance(self) -> int:
        return _micro((await self._call("getBalance")).get("balance"))

    async def submit(self, question: Question) -> str:
        return str((await self._call("createTask", task=_task(question))).get("taskId") or "")

    async def result(self, task: str) -> Solved | None:
        answer = await self._call("getTaskResult", taskId=_task_id(task))
        if answer.get("status") != "ready":
            return None
        solution = answer.get("solution")
        given = solution if isinstance(solution, dict) else {}
        text = next((str(given[name]) for name in _ANSWERS if given.get(name)), "")
        return _solved(text, answer.get("cost"))

    async def report_wrong(self, task: str) -> None:
        await self._call("reportIncorrect", taskId=_task_id(task))

    async def _call(self, method: str, **fields: object) -> dict[str, Any]:
        body = {"clientKey": self._solver.key, **fields}
        address = f"{self._solver.address}/{method}"
        answer = await self._outbound.post(
            address, json=body, max_bytes=MOST_BYTES, timeout=SECONDS
        )
        found = answer.json()
        if not isinstance(found, dict) or "errorId" not in found:
            raise AppError(502, "captcha_service_unknown")
        if found.get("errorId"):
            raise _refused(found.get("errorCode"))
        return found


class FormClient:
    def __init__(self, outbound: "OutboundClient", solver: StoredSolver) -> None:
        self._outbound = outbound
        self._solver = solver

    async def balance(self) -> int:
        return _micro((await self._ask(action="getbalance")).get("request"))

    async def submit(self, question: Question) -> str:
        form = {"key": self._solver.key, "json": "1", **_form(question)}
        address = f"{self._solver.address}/in.php"
        answer = await self._outbound.post(
            address, form=form, max_bytes=MOST_BYTES, timeout=SECONDS
        )
        return str(_checked(answer.json()).get("request") or "")

    async def result(self, task: str) -> Solved | None:
        answer = await self._ask(action="get2", id=task)
        if answer.get("request") == _NOT_READY:
            return None
        return _solved(str(answer.get("request") or ""), answer.get("price"))

    async def report_wrong(self, task: str) -> None:
        await self._ask(action="reportbad", id=task)

    async def _ask(self, **query: str) -> dict[str, Any]:
        answer = await self._outbound.get(
            f"{self._solver.address}/res.php",
            query={"key": self._solver.key, "json": "1", **query},
            max_bytes=MOST_BYTES,
            timeout=SECONDS,
        )
        return _checked(answer.json())


def _checked(answer: object) -> dict[str, Any]:
    if not isinstance(answer, dict) or "status" not in answer:
        raise AppError(502, "captcha_service_unknown")
    said = answer.get("request")
    if str(answer.get("status")) != "1" and said != _NOT_READY:
        raise _refused(said)
    return answer


def _task(question: Question) -> dict[str, object]:
    if question.kind == "image":
        return {"type": "ImageToTextTask", "body": _image(question)}
    kind = _TASKS[question.kind]
    if question.enterprise:
        kind = kind.replace("V2Task", "V2EnterpriseTask")
    return {"type": kind, "websiteURL": question.page_url, "websiteKey": question.site_key}


def _form(question: Question) -> dict[str, str]:
    if question.kind == "image":
        return {"method": "base64", "body": _image(question)}
    key = "googlekey" if question.kind == "recaptcha" else "sitekey"
    return {
        "method": _METHODS[question.kind],
        key: question.site_key or "",
        "pageurl": question.page_url or "",
        **({"enterprise": "1"} if question.enterprise else {}),
    }


def _task_id(task: str) -> int | str:
    """Some services only accept the kind of id that they gave."""
    return int(task) if task.isascii() and task.isdecimal() else task


def _image(question: Question) -> str:
    return (question.image or "").partition("base64,")[2]


def _solved(answer: str, cost: object) -> Solved:
    if not answer:
        raise _refused("")
    return Solved(answer, _micro(cost))


def _micro(amount: object) -> int:
    """Return an amount in millionths; services write it as a number or as text."""
    try:
        found = Decimal(str(amount))
        return int(found * MICRO) if found.is_finite() and abs(found) < 10**9 else 0
    except InvalidOperation:
        return 0


def _refused(code: object) -> AppError:
    shown = str(code or "")[:_LONGEST_CODE]
    return AppError(502, "captcha_service_refused", text=shown)
