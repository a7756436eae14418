"""A captcha service that speaks both protocols of 2captcha."""

from typing import Any

from aiohttp import web

from tests.downloads.plugins import Handler

KEY = "0123456789abcdef"


class CaptchaService:
    def __init__(self) -> None:
        self.tasks: list[dict[str, Any]] = []
        # How many requests for the answer come too early.
        self.delay = 1
        self.answer = "the answer"
        self.funds = 1.25
        # The captchas whose answers were reported as wrong.
        self.wrong: list[str] = []

    def routes(self) -> dict[str, Handler]:
        return {
            "POST /in.php": self.submit_form,
            "GET /res.php": self.result_of_form,
            "POST /createTask": self.create_task,
            "POST /getTaskResult": self.task_result,
            "POST /reportIncorrect": self.report_task,
            "POST /getBalance": self.balance,
        }

    async def submit_form(self, request: web.Request) -> web.Response:
        given = {name: str(value) for name, value in (await request.post()).items()}
        if given.pop("key") != KEY:
            return web.json_response({"status": 0, "request": "ERROR_WRONG_USER_KEY"})
        assert given.pop("json") == "1"
        self.tasks.append(given)
        return web.json_response({"status": 1, "request": str(len(self.tasks))})

    async def result_of_form(self, request: web.Request) -> web.Response:
        if request.query["key"] != KEY:
            return web.json_response({"status": 0, "request": "ERROR_WRONG_USER_KEY"})
        if request.query["action"] == "getbalance":
            return web.json_response({"status": 1, "request": f"{self.funds}"})
        if request.query["action"] == "reportbad":
            self.wrong.append(request.query["id"])
            return web.json_response({"status": 1, "request": "OK_REPORT_RECORDED"})
        if self._waits():
            return web.json_response({"status": 0, "request": "CAPCHA_NOT_READY"})
        return web.json_response({"status": 1, "request": self.answer, "price": "0.00299"})

    async def create_task(self, request: web.Request) -> web.Response:
        given = await request.json()
        if given["clientKey"] != KEY:
            return self._error("ERROR_KEY_DOES_NOT_EXIST")
        if self.funds <= 0:
            return self._error("ERROR_ZERO_BALANCE")
        self.tasks.append(given["task"])
        return web.json_response({"errorId": 0, "taskId": len(self.tasks)})

    async def task_result(self, request: web.Request) -> web.Response:
        given = await request.json()
        assert isinstance(given["taskId"], int)
        if self._waits():
            return web.json_response({"errorId": 0, "status": "processing"})
        kind = self.tasks[-1]["type"]
        name = "text" if kind == "ImageToTextTask" else "gRecaptchaResponse"
        name = "token" if kind == "TurnstileTaskProxyless" else name
        solution = {name: self.answer}
        return web.json_response(
            {"errorId": 0, "status": "ready", "solution": solution, "cost": "0.00145"}
        )

    async def report_task(self, request: web.Request) -> web.Response:
        given = await request.json()
        assert given["clientKey"] == KEY
        self.wrong.append(str(given["taskId"]))
        return web.json_response({"errorId": 0, "status": "success"})

    async def balance(self, request: web.Request) -> web.Response:
        if (await request.json())["clientKey"] != KEY:
            return self._error("ERROR_KEY_DOES_NOT_EXIST")
        return web.json_response({"errorId": 0, "balance": self.funds})

    def _waits(self) -> bool:
        self.delay -= 1
        return self.delay >= 0

    @staticmethod
    def _error(code: str) -> web.Response:
        return web.json_response({"errorId": 1, "errorCode": code, "errorDescription": "no"})
