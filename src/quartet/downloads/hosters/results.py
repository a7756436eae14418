"""Checks the result of a plugin call and turns any exception into a plugin error."""

import logging
import traceback
from collections.abc import Callable
from typing import Any, TypeVar, get_origin

import msgspec

from quartet.downloads.hosters.context import Context
from quartet.downloads.hosters.errors import (
    AccountProblem,
    Fatal,
    HosterLimit,
    Offline,
    PluginError,
    Temporary,
    Unsupported,
)
from quartet.downloads.hosters.loader import reason_of
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.plugin_types import Text
from quartet.downloads.hosters.workers import CallTimedOut, PluginStuck
from quartet.kernel.errors import AppError, Problem, problem_of

log = logging.getLogger("quartet.downloads.plugins")

T = TypeVar("T")

ERROR_KINDS: tuple[type[PluginError], ...] = (
    Offline,
    Temporary,
    HosterLimit,
    AccountProblem,
    Unsupported,
    Fatal,
)
# Used if the plugin does not say how long the limit lasts.
LIMIT_SECONDS = 3600.0


class InvalidResult(Exception):
    """The call returned a value of the wrong type."""


def check_result(answer: Any, kind: type[T]) -> T:
    """Validate by encoding and decoding, because structs do not validate their arguments."""
    try:
        wanted: type = get_origin(kind) or kind
        if not isinstance(answer, wanted):
            raise InvalidResult(f"{type(answer).__name__} instead of {wanted.__name__}")
        return msgspec.json.decode(msgspec.json.encode(answer), type=kind)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidResult(str(error)) from None


def to_plugin_error(plugin: Plugin, error: Exception, context: Context) -> PluginError:
    """Return the error without any secret in it."""
    match error:
        case PluginError():
            return _sanitized(plugin, error, context)
        case AppError():
            return (Temporary if error.status >= 500 else Fatal)(problem_of(error))
        case CallTimedOut():
            return Temporary(Problem("plugin_timeout", {"plugin": plugin.name}))
        case PluginStuck():
            return Temporary(Problem("plugin_stuck", {"plugin": plugin.name}))
    reason = context.clean(reason_of(error))
    log.warning("plugin %s failed: %s", plugin.id, context.clean(_trace(error)))
    problem = Problem("plugin_broken", {"plugin": plugin.name, "reason": reason})
    return Fatal(problem) if isinstance(error, InvalidResult) else Temporary(problem)


def _sanitized(plugin: Plugin, error: PluginError, context: Context) -> PluginError:
    kind = next((kind for kind in ERROR_KINDS if isinstance(error, kind)), Fatal)
    seconds = error.seconds
    if kind is HosterLimit and seconds is None:
        seconds = LIMIT_SECONDS
    if isinstance(error.problem, Problem):
        given = error.problem.inputs.items()
        inputs = {name: each if type(each) is int else context.clean(each) for name, each in given}
        return kind(Problem(context.clean(error.problem.code), inputs), seconds=seconds)
    if isinstance(error.text, Text):
        return kind(plugin_message(plugin, error.text, context.clean), seconds=seconds)
    return kind(_default_problem(kind, plugin.name), seconds=seconds)


def plugin_message(plugin: Plugin, text: Text, clean: Callable[[object], str]) -> Problem:
    de, en = clean(text.de), clean(text.en)
    return Problem("plugin_says", {"plugin": plugin.name, "de": de, "en": en})


def _default_problem(kind: type[PluginError], plugin: str) -> Problem:
    """Return the problem for an error without its own text."""
    if kind is Offline:
        return Problem("file_offline")
    if kind is Temporary:
        return Problem("plugin_temporary", {"plugin": plugin})
    if kind is HosterLimit:
        return Problem("plugin_limit", {"plugin": plugin})
    if kind is AccountProblem:
        return Problem("plugin_account", {"plugin": plugin})
    if kind is Unsupported:
        return Problem("plugin_unsupported", {"plugin": plugin})
    return Problem("plugin_failed", {"plugin": plugin})


def _trace(error: Exception) -> str:
    try:
        return "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 - even str() of a foreign error may fail
        return type(error).__name__
