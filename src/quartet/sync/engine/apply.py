"""Applies a configuration to an engine and verifies the result."""

import asyncio
from collections.abc import Callable, Set
from typing import Any, NamedTuple
from urllib.parse import quote

from quartet.kernel.errors import AppError, Problem
from quartet.sync.engine.ignores import WrittenPatterns, set_ignores
from quartet.sync.engine.plan import Json, Plan, full_config, make_plan
from quartet.sync.engine.problems import folder_problems
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineConfig, EngineFolder

# The engine rewrites its complete configuration on every change, so one large change is faster than
# several small ones.
MOST_SINGLE_STEPS = 1
# Delay before the verification: it would keep a hub busy while devices wait for its answers.
READ_BACK_SECONDS = 0.05
MARKER_MISSING = "marker_missing"
ABSENT = ("path_not_found", "path_not_folder", MARKER_MISSING)
# How many times to add a folder that returns with an old index, and the time to drop that index.
ADD_TRIES = 3
REMOVED_SECONDS = 0.3


class ApplyResult(NamedTuple):
    # Problems by folder id.
    problems: dict[str, Problem]
    # The engine's configuration after the change.
    kept: Json


async def apply(
    rest: Rest,
    own_id: str,
    wanted: EngineConfig,
    written: WrittenPatterns,
    healthy: Set[str] = frozenset(),
    *,
    before: Json | None = None,
    on_set: Callable[[], None] | None = None,
    tries: int = ADD_TRIES,
) -> ApplyResult:
    """Bring the engine to the wanted configuration; applying it again has no effect.

    Folders in `healthy` are known to work, so the engine is asked about them only if they change.
    `before`
    is the last known configuration; the verification detects if it has changed since. `on_set` is
    called when every folder is set and works, before the verification.
    """
    current = before or await rest.shares()
    plan = make_plan(current, wanted, own_id)
    # Folders with ignore patterns start paused, so that no ignored file is sent before the patterns
    # are set.
    first = {each.id for each in wanted.folders if each.ignore_patterns} & plan.new_folders
    problems = dict(plan.problems)
    problems |= await _execute(rest, current, _pausing(plan, first))
    if on_set is not None and not first:
        # Other folders may receive their patterns a moment later.
        on_set()
    added = [each for each in wanted.folders if each.id not in problems]
    problems |= await set_ignores(rest, added, plan.new_folders, written)
    if first:
        current = await rest.shares()
        problems |= await _execute(rest, current, make_plan(current, wanted, own_id))
        if on_set is not None:
            on_set()
    if on_set is not None:
        await asyncio.sleep(READ_BACK_SECONDS)
    working = [each for each in wanted.folders if each.id not in problems]
    known = healthy - {each["id"] for each in plan.folders}
    kept, found = await asyncio.gather(rest.shares(), folder_problems(rest, working, known))
    left = make_plan(kept, wanted, own_id)
    if before is not None and (left.steps or problems):
        return await apply(rest, own_id, wanted, written, healthy)
    stale = [each for each in plan.new_folders if _lacks_marker(found.get(each))]
    if stale and tries > 1:
        await _remove(rest, stale)
        return await apply(rest, own_id, wanted, written, healthy, tries=tries - 1)
    absent = [each for each in working if each.id in found and found[each.id].code in ABSENT]
    if absent:
        await _restart(rest, absent)
        found = await folder_problems(rest, working, known)
    return ApplyResult({**found, **_not_applied(left), **problems}, kept)


def _lacks_marker(problem: Problem | None) -> bool:
    return problem is not None and problem.code == MARKER_MISSING


async def _remove(rest: Rest, folders: list[str]) -> None:
    """Remove folders that were just added and lack their marker.

    If a folder is removed during a scan, the engine may keep its old index. When the folder
    returns, the engine misses the marker, which it deleted itself. Creating the marker instead
    would be dangerous: files deleted in the meantime would be deleted on all devices.
    """
    for folder in folders:
        await rest.request("DELETE", f"config/folders/{quote(folder, safe='')}")
    await asyncio.sleep(REMOVED_SECONDS)


async def _restart(rest: Rest, folders: list[EngineFolder]) -> None:
    """Pause and resume the folders: the engine creates a missing folder on start unless its index
    lists files there.
    """
    for folder in folders:
        await rest.restart(folder.id)


def _pausing(plan: Plan, first: set[str]) -> Plan:
    folders = [{**each, "paused": each["paused"] or each["id"] in first} for each in plan.folders]
    return Plan(
        plan.devices, folders, plan.gone_devices, plan.gone_folders, plan.new_folders, plan.problems
    )


def _not_applied(left: Plan) -> dict[str, Problem]:
    """Return the folders that the engine accepted but did not store."""
    if left.devices or left.gone_devices or left.gone_folders:
        raise AppError(502, "engine_not_applied")
    return {each["id"]: Problem("not_applied") for each in left.folders}


async def _execute(rest: Rest, current: Json, plan: Plan) -> dict[str, Problem]:
    moved = plan.new_folders.intersection(plan.gone_folders)
    for folder in sorted(moved):
        await rest.request("DELETE", f"config/folders/{quote(folder, safe='')}")
    if plan.steps - len(moved) > MOST_SINGLE_STEPS:
        try:
            await rest.request("PUT", "config", full_config(await rest.config(), plan))
        except AppError as error:
            if error.code != "engine_refused":
                raise
        else:
            return {}
    # Apply the steps one by one, so that the engine shows which one it refuses.
    return await _step_by_step(rest, current, plan)


async def _step_by_step(rest: Rest, current: Json, plan: Plan) -> dict[str, Problem]:
    problems: dict[str, Problem] = {}
    # Devices first: the engine drops unknown devices from a folder.
    for device in plan.devices:
        await _set(rest, "devices", device["deviceID"], device, current["devices"], "deviceID")
    for folder in plan.folders:
        try:
            there = [] if folder["id"] in plan.new_folders else current["folders"]
            await _set(rest, "folders", folder["id"], folder, there, "id")
        except AppError as error:
            if error.code != "engine_refused":
                raise
            problems[folder["id"]] = Problem(error.code, error.inputs)
    for kind, ids in (("folders", plan.gone_folders), ("devices", plan.gone_devices)):
        for each in ids:
            if each not in plan.new_folders:
                await rest.request("DELETE", f"config/{kind}/{quote(each, safe='')}")
    return problems


async def _set(
    rest: Rest, kind: str, ident: str, owned: Json, there: list[dict[str, Any]], key: str
) -> None:
    known = any(each[key] == ident for each in there)
    path = f"config/{kind}/{quote(ident, safe='')}"
    await rest.request("PATCH" if known else "PUT", path, owned)
