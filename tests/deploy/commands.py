"""Check that a command line in a document or unit file is valid."""

import click

from quartet.cli import main


def command_path(words: list[str]) -> str:
    """Return the names of the command without its arguments, such as "sync set-password"."""
    command: click.Command = main
    context = click.Context(command, info_name="quartet")
    path: list[str] = []
    for word in words:
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        if found is None:
            break
        command = found
        path.append(word)
    return " ".join(path)


def check_command(words: list[str]) -> None:
    """Raise click.UsageError if `quartet` would reject these arguments; runs nothing."""
    command: click.Command = main
    context = click.Context(command, info_name="quartet")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            raise click.UsageError(f"there is no command {words[0]}")
        command, words = found, words[1:]
        context = click.Context(command, parent=context)
    given, rest, _order = command.make_parser(context).parse_args(list(words))
    if rest:
        raise click.UsageError(f"nothing takes {' '.join(rest)}")
    for parameter in command.get_params(context):
        value = given.get(parameter.name or "")
        if isinstance(parameter.type, click.Choice) and isinstance(value, str | tuple):
            parameter.type_cast_value(context, value)
