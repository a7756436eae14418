"""Whether a command line that a document or a unit names would be understood."""

import click

from quartet.cli import main


def understood(words: list[str]) -> None:
    """Raises click.UsageError when `quartet` would refuse these words; runs nothing."""
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
