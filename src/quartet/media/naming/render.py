"""Renders the path of a file, relative to its library."""

from collections.abc import Iterable, Iterator, Sequence

from quartet.kernel.files import MAX_NAME_BYTES
from quartet.media.naming.path_segments import Piece, clean_value, join_pieces
from quartet.media.naming.template import (
    Condition,
    LiteralText,
    Slash,
    TemplatePart,
    Value,
    compile_template,
)
from quartet.media.naming.tokens import LITERAL, TOKENS
from quartet.media.naming.types import Facts

# Room for ` (9999)` and `.app-bak-1234567890123` after the name.
BACKUP_ROOM = 32
# Subtitles may be added later: room for `.pt-BR.forced.sdh.default.srt` and some more.
TAIL_ROOM = 40
_LONGEST_EXTENSION = 20
_LONGEST_VALUE = 1000
_EMPTY_NAME = "_"


def render(template: str, facts: Facts, tails: Iterable[str] = ()) -> str:
    """Return the relative path with extension, with room for the `tails` of companion files.

    Raises an `AppError` with a position if the template is invalid.
    """
    extension = _extension(facts)
    tail = max([TAIL_ROOM, len(extension.encode()), *(len(tail.encode()) for tail in tails)])
    stem_room = MAX_NAME_BYTES - BACKUP_ROOM - min(tail, MAX_NAME_BYTES // 2)
    *folders, last = _segments(compile_template(template), facts)
    names = [join_pieces(folder, MAX_NAME_BYTES - BACKUP_ROOM) for folder in folders]
    names = [name for name in names if name]
    return "/".join([*names, (join_pieces(last, stem_room) or _EMPTY_NAME) + extension])


def _segments(parts: Sequence[TemplatePart], facts: Facts) -> list[list[Piece]]:
    segments: list[list[Piece]] = [[]]
    for piece in _pieces(parts, facts):
        if piece is None:
            segments.append([])
        else:
            segments[-1].append(piece)
    return segments


def _pieces(parts: Sequence[TemplatePart], facts: Facts) -> Iterator[Piece | None]:
    """None separates two folders."""
    for part in parts:
        match part:
            case Slash():
                yield None
            case LiteralText():
                yield Piece(clean_value(part.text), LITERAL)
            case Value():
                yield Piece(clean_value(_value(part, facts)), TOKENS[part.token].rank)
            case Condition():
                if bool(TOKENS[part.token].read(facts)) == part.wanted:
                    yield from _pieces(part.parts, facts)


def _value(part: Value, facts: Facts) -> str:
    text = TOKENS[part.token].read(facts)
    for apply in part.filters:
        # Replacing can multiply a text; a name needs only its start.
        text = apply(text)[:_LONGEST_VALUE]
    return text


def _extension(facts: Facts) -> str:
    bare = "".join(
        character for character in facts.extension if character.isascii() and character.isalnum()
    )
    return f".{bare[:_LONGEST_EXTENSION]}" if bare else ""
