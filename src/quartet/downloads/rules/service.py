import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from quartet.downloads.events import Changed
from quartet.downloads.grabber.arranging import drop_empty, move_links
from quartet.downloads.grabber.store import copy_package, passwords, set_passwords
from quartet.downloads.grabber.types import CollectedLink
from quartet.downloads.input_cleanup import clean_text, password_list, target_dir
from quartet.downloads.rules import store
from quartet.downloads.rules.matching import actions_for, matching, require_valid
from quartet.downloads.rules.types import Actions, Rule, RuleLink
from quartet.downloads.settings import DownloadsSettings
from quartet.kernel.db import Tx
from quartet.kernel.errors import AppError
from quartet.kernel.files import safe_name
from quartet.kernel.service import Kernel
from quartet.kernel.user_patterns import UserPatterns

log = logging.getLogger("quartet.downloads.rules")

# Starts some downloads of a package.
StartLinks = Callable[[int, Sequence[int]], Awaitable[None]]


class RulesService:
    """Stores rules, tries them and applies them to links of the link grabber."""

    def __init__(self, kernel: Kernel[DownloadsSettings], start: StartLinks) -> None:
        self._db = kernel.db
        self._done = kernel.settings.done_folder
        self._start = start
        self.patterns = UserPatterns()
        # Called after the rules were changed.
        self.on_change: Callable[[], Awaitable[None]] | None = None

    async def all(self) -> list[Rule]:
        return await self._db.read(store.all_rules)

    async def replace(self, given: Sequence[Rule]) -> None:
        for place, rule in enumerate(given, start=1):
            await asyncio.to_thread(require_valid, rule, self.patterns, place)
        await self._db.write(lambda tx: store.replace(tx.conn, given))
        log.info("rules changed: %d", len(given))
        if self.on_change:
            await self.on_change()

    async def matches(self, rule: Rule) -> list[int]:
        """Return the links of the link grabber that the rule matches."""
        await asyncio.to_thread(require_valid, rule, self.patterns, 1)
        links = await self._db.read(store.collected)
        found = await asyncio.to_thread(matching, rule.conditions, links, self.patterns)
        return [link.id for link in found]

    async def actions(self, links: Sequence[RuleLink]) -> dict[int, Actions]:
        """Return what the rules do to these links by id, without doing it."""
        rules = await self.all()
        return await asyncio.to_thread(actions_for, rules, links, self.patterns)

    async def apply(self, download_ids: Sequence[int]) -> None:
        """Apply the rules to the packages of these downloads, if all their links are checked."""
        links = await self._db.read(store.ready, download_ids)
        if not links:
            return
        try:
            rules = await self.all()
            wanted = await asyncio.to_thread(actions_for, rules, links, self.patterns)
        except AppError as error:
            # The rules were valid when they were saved; on slow machines a pattern may time out.
            log.warning("rules not applied: %s", error.code)
            wanted = {}
        started = await self._db.write(lambda tx: _apply(tx, links, wanted, self._done))
        for package_id, ids in started.items():
            await self._start(package_id, ids)
        if wanted:
            log.info("rules applied to %d of %d links", len(wanted), len(links))


def _apply(
    tx: Tx, links: Sequence[RuleLink], wanted: Mapping[int, Actions], done: Path
) -> dict[int, list[int]]:
    """Carry out the actions; return the links to start by package."""
    packages = {link.package_id for link in links}
    store.mark_ruled(tx.conn, packages)
    if not wanted:
        return {}
    skipped = {link.id for link in links if (act := wanted.get(link.id)) and act.skip}
    store.delete_links(tx.conn, list(skipped))
    sizes = Counter(link.package_id for link in links)
    started: dict[int, list[int]] = {}
    for members, act in _groups([link for link in links if link.id not in skipped], wanted):
        package_id = _package_for(tx, members, act, sizes)
        _change(tx, package_id, members, act, done)
        if act.start:
            started.setdefault(package_id, []).extend(link.id for link in members)
    drop_empty(tx, packages)
    tx.emit(Changed("downloads"))
    return started


def _groups(
    links: Sequence[RuleLink], wanted: Mapping[int, Actions]
) -> list[tuple[list[RuleLink], Actions]]:
    """Return the links of each package with the same actions."""
    found: dict[tuple[int, Actions], list[RuleLink]] = {}
    for link in links:
        if act := wanted.get(link.id):
            found.setdefault((link.package_id, act), []).append(link)
    return [(members, act) for (_, act), members in found.items()]


def _package_for(
    tx: Tx, members: Sequence[RuleLink], act: Actions, sizes: Mapping[int, int]
) -> int:
    """Return the package of the members.

    Links with the same package name come into one package; a folder of their own gives them a new
    one.

    `sizes` are the numbers of links by package.
    """
    own = members[0].package_id
    name = clean_text(act.package_name) or members[0].package_name
    target = store.existing(tx.conn, name) if act.package_name else None
    if target is None:
        if len(members) == sizes[own] or not (act.package_name or act.folder):
            return own
        target = copy_package(tx.conn, own, name, safe_name(name))
    if target != own:
        moved = [CollectedLink(link.id, own, link.name) for link in members]
        move_links(tx, moved, target)
    return target


def _change(tx: Tx, package_id: int, members: Sequence[RuleLink], act: Actions, done: Path) -> None:
    values: dict[str, Any] = {}
    if name := clean_text(act.package_name):
        values |= {"name": name, "auto_named": False, "target_dir": safe_name(name)}
    if folder := target_dir(act.folder, done):
        values["target_dir"] = folder
    if act.extract is not None:
        values["auto_extract"] = act.extract
    if values:
        store.change_package(tx.conn, package_id, values)
    if act.password:
        known = passwords(tx.conn, package_id)
        set_passwords(tx.conn, package_id, password_list([act.password, *known]))
    if act.priority is not None:
        store.set_priority(tx.conn, [link.id for link in members], act.priority)
