"""What people type as names of themselves and of their passkeys."""

from quartet.wind.one_line import one_line

NAME_LENGTH = 60


def tidy_name(text: str) -> str:
    return one_line(text, NAME_LENGTH)
