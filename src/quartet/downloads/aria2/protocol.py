"""JSON-RPC 2.0 as aria2 speaks it, independent of the transport."""

import base64
import binascii
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_type_hints

import msgspec

from quartet.downloads.aria2.types import (
    INVALID_JSON,
    INVALID_REQUEST,
    UNKNOWN_METHOD,
    RpcError,
    RpcRequest,
    rpc_error,
)
from quartet.kernel.errors import AppError

Method = Callable[..., Awaitable[Any]]
# Returns whether a token is the API token.
CheckToken = Callable[[str], Awaitable[bool]]
# Called for what the audit log contains: a wrong token, once per request, and every deletion.
Report = Callable[[Literal["token_refused", "deleted"]], None]

NOTIFICATIONS = [
    f"aria2.on{name}"
    for name in (
        *("DownloadStart", "DownloadPause", "DownloadStop", "DownloadComplete"),
        *("DownloadError", "BtDownloadComplete"),
    )
]
MOST_CALLS = 10_000
_DELETIONS = frozenset(
    f"aria2.{name}"
    for name in ("remove", "forceRemove", "removeDownloadResult", "purgeDownloadResult")
)
_CALLBACK = re.compile(r"[A-Za-z_$][\w$.]{0,99}", re.ASCII)
_TOKEN = "token:"  # noqa: S105 - the prefix that clients send


class RpcAnswer(NamedTuple):
    body: bytes
    failed: bool


@dataclass
class _Caller:
    """The sender of one request, which may contain many calls."""

    report: Report
    refused: bool = False


class Protocol:
    def __init__(self, methods: Mapping[str, Method], check_token: CheckToken) -> None:
        self._methods = methods
        self.check_token = check_token

    async def answer(self, body: bytes, report: Report) -> RpcAnswer:
        """Answer one request, or several in a list."""
        try:
            given = msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return _failure(None, RpcError("Parse error.", INVALID_JSON))
        caller = _Caller(report)
        if isinstance(given, list):
            answers = [await self._answer(each, caller) for each in given[:MOST_CALLS]]
            return RpcAnswer(b"[" + b",".join(each.body for each in answers) + b"]", failed=False)
        return await self._answer(given, caller)

    async def answer_query(self, query: Mapping[str, str], report: Report) -> RpcAnswer:
        """Answer a GET request, whose parameters are encoded as base64."""
        try:
            given = base64.b64decode(query.get("params", ""), validate=False)
            params = msgspec.json.decode(given) if given else []
        except (binascii.Error, msgspec.DecodeError, UnicodeError, ValueError, RecursionError):
            return _failure(None, RpcError("Parse error.", INVALID_JSON))
        if "method" not in query:
            return await self.answer(given, report)
        request = {"method": query["method"], "id": query.get("id"), "params": params}
        return await self._answer(request, _Caller(report))

    async def _answer(self, given: object, caller: _Caller) -> RpcAnswer:
        try:
            request = msgspec.convert(given, RpcRequest)
        except msgspec.ValidationError:
            id = given.get("id") if isinstance(given, dict) else None
            return _failure(id, RpcError("Invalid Request.", INVALID_REQUEST))
        try:
            result = await self._call(request.method, request.params, caller)
        except RpcError as error:
            return _failure(request.id, error)
        shown = {"id": request.id, "jsonrpc": "2.0", "result": result}
        return RpcAnswer(msgspec.json.encode(shown), failed=False)

    async def _call(self, method: str, params: list[Any], caller: _Caller) -> Any:
        match method:
            case "system.multicall":
                return await self._multicall(params, caller)
            case "system.listMethods":
                return [*self._methods, *(f"system.{name}" for name in _SYSTEM)]
            case "system.listNotifications":
                return NOTIFICATIONS
        known = self._methods.get(method)
        if known is None:
            raise RpcError(f"No such method: {method}", UNKNOWN_METHOD)
        rest = await self._authorised(params, caller)
        try:
            result = await known(*_converted(known, rest))
        except AppError as error:
            raise rpc_error(error) from error
        if method in _DELETIONS:
            caller.report("deleted")
        return result

    async def _multicall(self, params: list[Any], caller: _Caller) -> list[Any]:
        calls = params[0] if params and isinstance(params[0], list) else None
        # Some clients send their token here as well.
        if calls is None and len(params) > 1 and isinstance(params[1], list):
            calls = params[1]
        if calls is None:
            raise RpcError("system.multicall expects a list of calls.")
        return [await self._one_of_many(each, caller) for each in calls[:MOST_CALLS]]

    async def _one_of_many(self, call: object, caller: _Caller) -> Any:
        try:
            if not isinstance(call, dict) or call.get("methodName") == "system.multicall":
                raise RpcError("Recursive system.multicall forbidden.")
            params = call.get("params", [])
            if not isinstance(params, list):
                raise RpcError("The parameters must be a list.")
            return [await self._call(str(call.get("methodName")), params, caller)]
        except RpcError as error:
            return {"code": error.code, "message": error.message}

    async def _authorised(self, params: list[Any], caller: _Caller) -> list[Any]:
        """Return the parameters without the token; raises an error if it is not valid."""
        first = params[0] if params else None
        if not isinstance(first, str) or not first.startswith(_TOKEN):
            raise RpcError("Unauthorized")
        # After one wrong token no other is read, so that a request cannot try thousands.
        if caller.refused or not await self._is_valid(first.removeprefix(_TOKEN), caller):
            raise RpcError("Unauthorized")
        return params[1:]

    async def _is_valid(self, token: str, caller: _Caller) -> bool:
        if await self.check_token(token):
            return True
        caller.refused = True
        caller.report("token_refused")
        return False


_SYSTEM = ("multicall", "listMethods", "listNotifications")


def _converted(method: Method, params: list[Any]) -> list[Any]:
    """Return the parameters if they have the number and the types that the method declares."""
    try:
        given = inspect.signature(method).bind(*params).arguments
    except TypeError:
        raise RpcError("The parameters of this method are different.") from None
    kinds = get_type_hints(method)
    try:
        return [msgspec.convert(value, kinds[name]) for name, value in given.items()]
    except msgspec.ValidationError:
        raise RpcError("Illegal argument.") from None


def notification(name: str, gid: str) -> bytes:
    shown = {"jsonrpc": "2.0", "method": f"aria2.{name}", "params": [{"gid": gid}]}
    return msgspec.json.encode(shown)


def jsonp(callback: str, body: bytes) -> bytes:
    """Wrap an answer for pages that load it as a script."""
    if not _CALLBACK.fullmatch(callback):
        raise AppError(400, "invalid_request", field="jsoncallback")
    return b"%b(%b)" % (callback.encode(), body)


def _failure(id: Any, error: RpcError) -> RpcAnswer:
    shown = {"id": id, "jsonrpc": "2.0", "error": {"code": error.code, "message": error.message}}
    return RpcAnswer(msgspec.json.encode(shown), failed=True)
