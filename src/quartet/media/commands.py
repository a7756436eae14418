"""Commands of the media service."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from quartet.command_line import (
    config_option,
    data_option,
    errors_as_messages,
    settings_for,
    settings_for_writing,
)

if TYPE_CHECKING:
    from quartet.media.command_jobs import CommandJobs

# Exit codes besides 0, which means that every file was handled.
SOME_LEFT, REFUSED = 1, 2

paths_argument = click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH..."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def job_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that decide where files go."""
    for option in (
        click.option("--target", type=click.Path(path_type=Path), help="One folder for all files."),
        click.option("--in-place", is_flag=True, help="Change names only, not folders."),
        click.option(
            "--conflict",
            type=click.Choice(["skip", "overwrite", "suffix", "keep_better"]),
            default="skip",
            help="What to do if a file exists.",
        ),
        click.option("--threshold", type=click.FloatRange(0, 1), help="Needed confidence."),
    ):
        command = option(command)
    return command


@click.group()
def commands() -> None:
    """Manage the media service, and rename files from the command line."""


@commands.command()
@data_option
@config_option
def show_token(data: Path | None, config: Path | None) -> None:
    """Print the access token with which you sign in.

    Run it with the settings of the service. The token always works, even while an address is
    locked out after wrong ones.
    """
    with errors_as_messages():
        settings = settings_for("media", {}, data, config).values
    if settings.token is None:
        raise click.ClickException("no APP_TOKEN is set: the service is open on this machine")
    click.echo(settings.token)


@commands.command()
@paths_argument
@job_options
@json_option
@data_option
@config_option
def preview(
    paths: tuple[Path, ...], as_json: bool, data: Path | None, config: Path | None, **options: Any
) -> None:
    """Show how files would be renamed; nothing is changed.

    The exit code is 0 if all files are ready, 1 if some need review, and 2 if it was refused.
    """
    from quartet.media.command_runs import run_preview

    _run(lambda jobs: run_preview(jobs, paths, options, as_json=as_json), data, config, as_json)


@commands.command()
@paths_argument
@click.option(
    "--action",
    type=click.Choice(["move", "copy", "hardlink", "reflink"]),
    default="move",
    help="What to do with the files.",
)
@job_options
@json_option
@data_option
@config_option
def rename(
    paths: tuple[Path, ...], as_json: bool, data: Path | None, config: Path | None, **options: Any
) -> None:
    """Rename files with a confident match and file them in the libraries.

    Works with or without a running service; every change is listed in the history. The exit code is
    0 if all files were handled, 1 if some were not, and 2 if it was refused.
    """
    from quartet.media.command_runs import run_rename

    _run(lambda jobs: run_rename(jobs, paths, options, as_json=as_json), data, config, as_json)


@commands.command()
@paths_argument
@json_option
@data_option
@config_option
def undo(paths: tuple[Path, ...], as_json: bool, data: Path | None, config: Path | None) -> None:
    """Move files back that are at these paths, or in these folders.

    The exit code is 0 if all of them were moved back, 1 if some were not, and 2 if it was refused.
    """
    from quartet.media.command_runs import run_undo

    _run(lambda jobs: run_undo(jobs, paths, as_json=as_json), data, config, as_json)


@commands.command()
@click.argument("file", type=click.File(encoding="utf-8"))
@json_option
@data_option
@config_option
def import_history(file: TextIO, as_json: bool, data: Path | None, config: Path | None) -> None:
    """Add FileBot's history.xml to the history, so that its moves can be found and undone.

    The exit code is 0 if all files were added, 1 if some are gone or not in the folders, and 2 if
    it was refused.
    """
    from quartet.media.command_runs import run_import_history

    xml = file.read()
    _run(lambda jobs: run_import_history(jobs, xml, as_json=as_json), data, config, as_json)


@commands.command()
@click.argument("scheme")
@click.option(
    "--from",
    "product",
    type=click.Choice(["filebot", "tinymediamanager", "sonarr", "radarr"]),
    help="The program that uses this scheme; recognised if omitted.",
)
@click.option("--kind", type=click.Choice(["movie", "series"]), help="Recognised if omitted.")
@json_option
def import_format(scheme: str, product: Any, kind: Any, as_json: bool) -> None:
    """Translate a naming scheme of another program into a template.

    Parts that could not be translated are listed on stderr. The exit code is 0 if all parts were
    translated, 1 if not, and 2 if nothing was.
    """
    import msgspec

    from quartet.kernel.errors import AppError, problem_of
    from quartet.kernel.log import problem_text
    from quartet.media.naming.service import import_scheme
    from quartet.media.naming.types import SchemeImport

    try:
        found = import_scheme(SchemeImport(text=scheme, product=product, kind=kind))
    except AppError as error:
        click.echo(problem_text(problem_of(error)), err=True)
        sys.exit(REFUSED)
    click.echo(msgspec.json.encode(found).decode() if as_json else found.template)
    for one in found.problems if not as_json else ():
        click.echo(f"{one.problem}: {one.text}", err=True)
    sys.exit(SOME_LEFT if found.problems else 0)


def _run(
    work: "Callable[[CommandJobs], Awaitable[bool]]",
    data: Path | None,
    config: Path | None,
    as_json: bool,
) -> None:
    """Exit with the code for the result: `work` returns whether every file was handled."""
    # Imported here, because most commands need none of it.
    from quartet.kernel.errors import AppError
    from quartet.media.command_jobs import open_jobs
    from quartet.media.command_runs import show_refusal

    with errors_as_messages():
        settings = settings_for_writing("media", data, config)

    async def run() -> bool:
        async with open_jobs(settings) as jobs:
            return await work(jobs)

    try:
        complete = asyncio.run(run())
    except AppError as error:
        show_refusal(error, as_json=as_json)
        sys.exit(REFUSED)
    sys.exit(0 if complete else SOME_LEFT)
