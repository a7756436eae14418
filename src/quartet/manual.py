"""`python -m quartet.manual`: the manual page `quartet.1`, or the same as Markdown."""

import sys
from collections.abc import Iterator

import click

from quartet import __version__
from quartet.cli import main


def commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield every command with its full name, groups before their commands."""
    yield from _below("quartet", main, None)


def _below(
    name: str, command: click.Command, parent: click.Context | None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    context = click.Context(command, info_name=name.rsplit(" ", 1)[-1], parent=parent)
    yield name, command, context
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            if found is not None and not found.hidden:
                yield from _below(f"{name} {each}", found, context)


def usage(command: click.Command, context: click.Context) -> str:
    return " ".join([context.command_path, *command.collect_usage_pieces(context)])


def options(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    records = (each.get_help_record(context) for each in command.get_params(context))
    return [record for record in records if record is not None]


def summary(command: click.Command) -> str:
    return " ".join((command.help or "").replace("\b", "").split())


def markdown() -> str:
    lines = ["# Commands", "", f"All commands of quartet {__version__}. Each has `--help`.", ""]
    for name, command, context in commands():
        lines += [f"## {name}", "", summary(command), "", f"    {usage(command, context)}", ""]
        rows = [f"| `{flag}` | {text} |" for flag, text in options(command, context)]
        lines += ["| Option | Meaning |", "| ------ | ------- |", *rows, ""] if rows else []
    return "\n".join(lines)


def manual_page() -> str:
    """Return the page for `man quartet`."""
    lines = [
        f'.TH QUARTET 1 "" "quartet {__version__}" "User Commands"',
        ".SH NAME",
        f"quartet \\- {_escaped(summary(main))}",
        ".SH SYNOPSIS",
        ".B quartet",
        "[OPTIONS] COMMAND [ARGS]...",
        ".SH COMMANDS",
    ]
    for _, command, context in commands():
        lines += [".SS " + _escaped(usage(command, context)), _escaped(summary(command))]
        for flag, text in options(command, context):
            lines += [".TP", f".B {_escaped(flag)}", _escaped(text)]
    lines += [".SH SEE ALSO", "https://github.com/quartet-project/quartet"]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    sys.stdout.write(markdown() if "markdown" in sys.argv else manual_page())
