"""Applies a draft to the shares and finds its invalid rows; pure functions."""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from quartet.kernel.errors import AppError, Problem
from quartet.sync.config.paths import DevicePaths, Key, PathOverlap, key_of, path_problem
from quartet.sync.config.patterns import clean_patterns
from quartet.sync.config.templates import template_path
from quartet.sync.config.types.revisions import ChangeSummary, Config
from quartet.sync.config.types.shares import BadRow, DeviceDiff, Share, ShareChange
from quartet.sync.protocol.limits import FOLDERS_PER_DEVICE

Pair = tuple[int, int]
Shares = dict[Pair, Share]
# The paths in use, by device.
TakenPaths = dict[int, set[Key]]


def apply_changes(
    config: Config, changes: Iterable[ShareChange], hub: Path
) -> tuple[Shares, list[BadRow]]:
    """Return all shares after the draft by folder and device; `hub` is the server's data folder."""
    after = _by_pair(config)
    changes = list(changes)
    taken = _taken(config, changes)
    bad: list[BadRow] = []
    seen: dict[Pair, ShareChange] = {}
    for change in changes:
        pair = (change.folder_id, change.device_id)
        problem = Problem("row_twice") if pair in seen else _put(config, after, change, hub, taken)
        seen[pair] = change
        if problem:
            bad.append(_bad_row(change, problem))
    bad.extend(_overlaps(config, after, seen))
    return after, bad


def _bad_row(change: ShareChange, problem: Problem) -> BadRow:
    return BadRow(change.folder_id, change.device_id, problem.code, problem.inputs)


def _put(
    config: Config, after: Shares, change: ShareChange, hub: Path, taken: TakenPaths
) -> Problem | None:
    """Apply one row to the shares, or return the reason why it is invalid."""
    pair = (change.folder_id, change.device_id)
    if change.folder_id not in config.folders:
        return Problem("folder_not_found", {"id": change.folder_id})
    if change.device_id not in config.devices:
        return Problem("device_not_found", {"id": change.device_id})
    before = after.pop(pair, None)
    if change.mode == "off":
        return None
    agentless = config.devices[change.device_id].agentless
    # A device without an agent chooses its own paths.
    path = "" if agentless else _path(config, change, before, taken)
    problem = _mode_problem(config, change, before, agentless=agentless)
    if problem is None and not agentless:
        problem = path_problem(path, config.devices[change.device_id].os)
    if problem is None and path and _is_in_hub_data(path, hub):
        problem = Problem("path_is_hub", {"path": path})
    patterns = before.ignore_patterns if before else []
    if problem is None and change.ignore_patterns is not None:
        patterns, problem = _patterns(change.ignore_patterns, agentless=agentless)
    if problem is None:
        share = Share(
            change.folder_id, change.device_id, change.mode, path, ignore_patterns=patterns
        )
        after[pair] = _keep_share_state(share, before) if before else share
    return problem


def _taken(config: Config, changes: Iterable[ShareChange]) -> TakenPaths:
    """Return the paths on devices for which a template chooses another one."""
    found: TakenPaths = {
        each.device_id: set() for each in changes if each.path is None and each.mode != "off"
    }
    for share in config.shares if found else ():
        if share.device_id in found:
            system = config.devices[share.device_id].os
            found[share.device_id].add(key_of(share.path, system))
    return found


def _path(config: Config, change: ShareChange, before: Share | None, taken: TakenPaths) -> str:
    if change.path is not None:
        return change.path
    if before is not None:
        return before.path
    device, mine = config.devices[change.device_id], taken[change.device_id]
    path = template_path(config, device, config.folders[change.folder_id], mine)
    mine.add(key_of(path, device.os))
    return path


def _patterns(lines: list[str], *, agentless: bool) -> tuple[list[str], Problem | None]:
    try:
        patterns = clean_patterns(lines)
    except AppError as error:
        return [], Problem(error.code, error.inputs)
    # The hub cannot write the ignore file of such a device.
    return patterns, Problem("patterns_need_agent") if patterns and agentless else None


def _mode_problem(
    config: Config, change: ShareChange, before: Share | None, *, agentless: bool
) -> Problem | None:
    """Return why the hub cannot enforce the mode."""
    if change.mode != "encrypted":
        fits = change.mode == "both" or not agentless
        return None if fits else Problem("mode_needs_agent")
    if not agentless:
        return Problem("mode_needs_no_agent")
    if config.folders[change.folder_id].encrypted_on_hub:
        return Problem("already_encrypted")
    if change.password is None and (change.folder_id, change.device_id) not in config.passwords:
        return Problem("encryption_password_missing")
    # The files on the device cannot be encrypted again.
    is_new = before is None or before.mode != "encrypted"
    return None if is_new or change.password is None else Problem("encryption_password_fixed")


def _keep_share_state(share: Share, before: Share) -> Share:
    # In another mode, the same repair request would do something else.
    repair = before.repair if before.mode == share.mode else 0
    return replace(share, held=before.held, paused=before.paused, repair=repair)


def _is_in_hub_data(path: str, hub: Path) -> bool:
    """Return True if the path is inside the hub's data; the server itself may be a device."""
    place = Path.home() / path[2:] if path.startswith("~") else Path(path)
    return hub in (place, *place.parents)


def _overlaps(config: Config, after: Shares, changed: dict[Pair, ShareChange]) -> list[BadRow]:
    bad: list[BadRow] = []
    touched = {device_id for _, device_id in changed}
    for device_id in touched & config.devices.keys():
        system = config.devices[device_id].os
        mine = [
            share
            for share in after.values()
            if share.device_id == device_id and not config.devices[device_id].agentless
        ]
        # Unchanged shares come first, so that a clash is reported for the new row.
        mine.sort(key=lambda share: (share.folder_id, device_id) in changed)
        paths = DevicePaths()
        for count, share in enumerate(mine, 1):
            found = paths.add(key_of(share.path, system), share.folder_id)
            change = changed.get((share.folder_id, device_id))
            if change and found:
                bad.append(_bad_row(change, _overlap(found, config)))
            elif change and count > FOLDERS_PER_DEVICE:
                bad.append(
                    _bad_row(change, Problem("too_many_folders", {"max": FOLDERS_PER_DEVICE}))
                )
    return bad


def _overlap(clash: PathOverlap, config: Config) -> Problem:
    label = config.folders[clash.folder_id].label
    if clash.nested:
        return Problem("path_nested", {"folder": label})
    return Problem("path_taken", {"folder": label})


def difference(before: Iterable[Share], after: Shares) -> list[DeviceDiff]:
    """Return the added, removed and changed folders of each affected device."""
    old = {(share.folder_id, share.device_id): share for share in before}
    diffs: dict[int, DeviceDiff] = {}
    for folder_id, device_id in sorted(old.keys() | after.keys(), key=lambda pair: pair[::-1]):
        was, becomes = old.get((folder_id, device_id)), after.get((folder_id, device_id))
        if was == becomes:
            continue
        diff = diffs.setdefault(device_id, DeviceDiff(device_id, [], [], []))
        kind = diff.adds if was is None else diff.removes if becomes is None else diff.changes
        kind.append(folder_id)
    return list(diffs.values())


def shares_summary(before: Config, after: Config) -> ChangeSummary:
    """Describe the first changed share, and how many have changed."""
    old, new = _by_pair(before), _by_pair(after)
    changed = sorted(pair for pair in old.keys() | new.keys() if old.get(pair) != new.get(pair))
    folder_id, device_id = changed[0]
    was, becomes = old.get(changed[0]), new.get(changed[0])
    inputs = {
        "count": len(changed),
        "folder": after.folders[folder_id].label,
        "device": after.devices[device_id].name,
        "before": was.mode if was else "off",
        "after": becomes.mode if becomes else "off",
    }
    if was and becomes and was.path != becomes.path:
        inputs["path"] = becomes.path
    return ChangeSummary("shares_changed", inputs)


def _by_pair(config: Config) -> Shares:
    return {(share.folder_id, share.device_id): share for share in config.shares}
