"""What the commands `preview`, `rename`, `undo` and `import-history` do and print."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.log import problem_text
from quartet.media.command_jobs import CommandJobs, wait_until_idle
from quartet.media.history.types import HistoryEntry, HistoryFile, Undo, Undone
from quartet.media.jobs.types import ItemState, Job, JobItem, NewJob
from quartet.media.roots.allowed_folders import is_within
from quartet.media.roots.path_encoding import encode_path

_HANDLED: tuple[ItemState, ...] = ("done", "skipped")


# What to do about the commonest errors; the others are shown as their code.
_ADVICE = {
    "outside_folders": (
        "{path} is outside the configured folders. Add its folder in the settings of the service, "
        "or with APP_ROOTS before the first start."
    ),
    "nothing_ready": "No file is ready.",
    "unreachable": "The service at {address} does not respond.",
}


def show_refusal(error: AppError, *, as_json: bool) -> None:
    problem = problem_of(error)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode({"error": problem})))
    advice = _ADVICE.get(problem.code)
    click.echo(
        advice.format_map(problem.inputs) if advice else problem_text(problem),
        err=True,
    )


async def run_preview(
    jobs: CommandJobs, paths: Sequence[Path], options: Mapping[str, Any], *, as_json: bool
) -> bool:
    job = await _create(jobs, paths, options, "test")
    items = await _items(jobs, job.job_id)
    _show(job, items, as_json=as_json)
    return all(item.state in (*_HANDLED, "ready") for item in items)


async def run_rename(
    jobs: CommandJobs, paths: Sequence[Path], options: Mapping[str, Any], *, as_json: bool
) -> bool:
    job = await _create(jobs, paths, options, options["action"])
    if job.items["ready"]:
        await jobs.execute(job.job_id)
        job = await wait_until_idle(jobs, job.job_id)
    items = await _items(jobs, job.job_id)
    _show(job, items, as_json=as_json)
    return all(item.state in _HANDLED for item in items)


async def run_undo(jobs: CommandJobs, paths: Sequence[Path], *, as_json: bool) -> bool:
    found = {entry.id: entry for path in paths for entry in await _entries(jobs, _absolute(path))}
    undone = Undone(0, [])
    if found:
        undone = await jobs.undo(Undo(operation_ids=list(found)))
    if as_json:
        click.echo(msgspec.json.encode(undone))
    else:
        failed = {one.id: one.code for one in undone.failed}
        for id, entry in found.items():
            # An NFO file or picture had no place before.
            before = "removed" if entry.role == "artwork" else entry.source
            click.echo(f"{entry.target} -> {failed.get(id) or before}")
    return bool(found) and not undone.failed


async def run_import_history(jobs: CommandJobs, xml: str, *, as_json: bool) -> bool:
    found = await jobs.import_filebot(HistoryFile(xml))
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        click.echo(f"{found.added} files added, {found.known} were in the history already")
        click.echo(f"{found.missing} are no longer there, {found.outside} are not in the folders")
    return not found.missing and not found.outside


async def _create(
    jobs: CommandJobs, paths: Sequence[Path], options: Mapping[str, Any], action: str
) -> Job:
    values = {
        "paths": [_absolute(path) for path in paths],
        "action": action,
        "conflictPolicy": options["conflict"],
        "inPlace": options["in_place"],
        "target": _absolute(options["target"]) if options["target"] else None,
        "threshold": options["threshold"],
    }
    job = await jobs.create(msgspec.convert(values, NewJob))
    return await wait_until_idle(jobs, job.job_id)


async def _items(jobs: CommandJobs, id: int) -> list[JobItem]:
    found: list[JobItem] = []
    cursor: int | None = None
    while True:
        page = await jobs.items(id, cursor)
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


async def _entries(jobs: CommandJobs, path: str) -> list[HistoryEntry]:
    """Return what was put at this path or below it."""
    found: list[HistoryEntry] = []
    cursor: int | None = None
    while True:
        page = await jobs.history(path, cursor)
        found += [entry for entry in page.entries if is_within(entry.target, path)]
        cursor = page.cursor
        if cursor is None:
            return found


def _absolute(path: Path) -> str:
    # Links are kept, because configured folders may be reached through them.
    return encode_path(os.path.abspath(path))  # noqa: PTH100


def _show(job: Job, items: Sequence[JobItem], *, as_json: bool) -> None:
    if as_json:
        shown = [
            {
                "source": item.path,
                "target": item.target,
                "state": item.state,
                "title": item.match.best.title if item.match and item.match.best else None,
                "confidence": item.confidence,
                "reasons": item.reasons,
                "conflict": item.conflict,
                "error": item.error,
            }
            for item in items
        ]
        result = {
            "job": job.job_id,
            "status": job.status,
            "error": job.error,
            "items": shown,
            "cleaned": job.cleaned,
        }
        click.echo(msgspec.json.format(msgspec.json.encode(result)))
        return
    for item in items:
        waits = item.state not in (*_HANDLED, "ready")
        why = f" ({', '.join(item.reasons)})" if waits and item.reasons else ""
        click.echo(f"{item.state}: {item.path} -> {item.target or '?'}{why}")
    for folder in job.cleaned.left:
        more = ", ..." if folder.more else ""
        click.echo(f"left: {folder.path} ({', '.join(folder.names)}{more})")
