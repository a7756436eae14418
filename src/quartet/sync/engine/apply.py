"""Brings an engine to a wanted configuration and reads back what came of it."""

import asyncio
from collections.abc import Callable, Set
from typing import Any, NamedTuple
from urllib.parse import quote

from quartet.kernel.errors import AppError, Problem
from quartet.sync.engine.ignores import set_ignores
from quartet.sync.engine.plan import Json, Plan, make_plan, whole
from quartet.sync.engine.problems import folder_problems
from quartet.sync.engine.rest import Rest
from quartet.sync.engine.types import EngineConfig, EngineFolder

# The engine writes its whole configuration at every change: one big one beats many small ones.
MOST_SINGLE_STEPS = 1
# Read back at once, a hub would be busy with that while devices wait for its answers.
READ_BACK_SECONDS = 0.05
ABSENT = ("path_not_found", "path_not_folder", "marker_missing")


class Outcome(NamedTuple):
    # The folders that do not work as wanted.
    problems: dict[str, Problem]
    # What the engine has, read back.
    kept: Json


async def apply(
    rest: Rest,
    own_id: str,
    wanted: EngineConfig,
    well: Set[str] = frozenset(),
    *,
    before: Json | None = None,
    on_set: Callable[[], None] | None = None,
) -> Outcome:
    """Doing it twice changes nothing.

    About folders that are `well` the engine is asked only if they change. `before` is what it had
    when we looked last; if somebody has changed it since, that is found out by reading back.
    `on_set` is called when all is set; it is read back a moment later, when those who wait for it
    have gone on.
    """
    current = before or await rest.shares()
    plan = make_plan(current, wanted, own_id)
    # Folders with patterns begin paused: nothing they ignore shall get out before they know it.
    first = {each.id for each in wanted.folders if each.ignore_patterns} & plan.new_folders
    problems = dict(plan.problems)
    problems |= await _carry_out(rest, current, _pausing(plan, first))
    added = [each for each in wanted.folders if each.id not in problems]
    problems |= await set_ignores(rest, added, plan.new_folders)
    if first:
        current = await rest.shares()
        problems |= await _carry_out(rest, current, make_plan(current, wanted, own_id))
    if on_set is not None:
        on_set()
        await asyncio.sleep(READ_BACK_SECONDS)
    working = [each for each in wanted.folders if each.id not in problems]
    known = well - {each["id"] for each in plan.folders}
    kept, found = await asyncio.gather(rest.shares(), folder_problems(rest, working, known))
    left = make_plan(kept, wanted, own_id)
    if before is not None and (left.steps or problems):
        return await apply(rest, own_id, wanted, well)
    absent = [each for each in working if each.id in found and found[each.id].code in ABSENT]
    if absent:
        await _restart(rest, absent)
        found = await folder_problems(rest, working, known)
    return Outcome({**found, **_not_done(left), **problems}, kept)


async def _restart(rest: Rest, folders: list[EngineFolder]) -> None:
    """The engine makes a folder when it starts it, unless it remembers files that were in it."""
    for folder in folders:
        path = f"config/folders/{quote(folder.id, safe='')}"
        await rest.ask("PATCH", path, {"paused": True})
        await rest.ask("PATCH", path, {"paused": False})


def _pausing(plan: Plan, first: set[str]) -> Plan:
    folders = [{**each, "paused": each["id"] in first} for each in plan.folders]
    return Plan(
        plan.devices, folders, plan.gone_devices, plan.gone_folders, plan.new_folders, plan.problems
    )


def _not_done(left: Plan) -> dict[str, Problem]:
    """What the engine accepted and did not keep."""
    if left.devices or left.gone_devices or left.gone_folders:
        raise AppError(502, "engine_not_applied")
    return {each["id"]: Problem("not_applied") for each in left.folders}


async def _carry_out(rest: Rest, current: Json, plan: Plan) -> dict[str, Problem]:
    moved = plan.new_folders.intersection(plan.gone_folders)
    for folder in sorted(moved):
        await rest.ask("DELETE", f"config/folders/{quote(folder, safe='')}")
    if plan.steps - len(moved) > MOST_SINGLE_STEPS:
        try:
            await rest.ask("PUT", "config", whole(await rest.config(), plan))
        except AppError as error:
            if error.code != "engine_refused":
                raise
        else:
            return {}
    # One at a time tells which one the engine will not have.
    return await _step_by_step(rest, current, plan)


async def _step_by_step(rest: Rest, current: Json, plan: Plan) -> dict[str, Problem]:
    problems: dict[str, Problem] = {}
    # A folder loses every device that the engine does not know yet.
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
                await rest.ask("DELETE", f"config/{kind}/{quote(each, safe='')}")
    return problems


async def _set(
    rest: Rest, kind: str, ident: str, owned: Json, there: list[dict[str, Any]], key: str
) -> None:
    known = any(each[key] == ident for each in there)
    path = f"config/{kind}/{quote(ident, safe='')}"
    await rest.ask("PATCH" if known else "PUT", path, owned)
