"""From a template and the facts of one file to its path below the library."""

from collections.abc import Iterable, Iterator, Sequence

from quartet.kernel.files import MAX_NAME_BYTES
from quartet.media.naming.segments import Piece, cleaned, joined
from quartet.media.naming.template import Condition, Literal, Part, Slash, Value, compiled
from quartet.media.naming.tokens import LITERAL, TOKENS
from quartet.media.naming.types import Facts

# For ` (9999)` and `.app-bak-1234567890123` after the whole name.
BACKUP_ROOM = 32
# A subtitle may come later: as much as `.pt-BR.forced.sdh.default.srt` and a little more.
TAIL_ROOM = 40
_LONGEST_EXTENSION = 20
_LONGEST_VALUE = 1000
_NAMELESS = "_"


def render(template: str, facts: Facts, tails: Iterable[str] = ()) -> str:
    """The relative path with its extension; room is left for the `tails` of its companions.

    Raises an `AppError` with a position when the template has a mistake.
    """
    extension = _extension(facts)
    tail = max([TAIL_ROOM, len(extension.encode()), *(len(tail.encode()) for tail in tails)])
    stem_room = MAX_NAME_BYTES - BACKUP_ROOM - min(tail, MAX_NAME_BYTES // 2)
    *folders, last = _segments(compiled(template), facts)
    names = [joined(folder, MAX_NAME_BYTES - BACKUP_ROOM) for folder in folders]
    names = [name for name in names if name]
    return "/".join([*names, (joined(last, stem_room) or _NAMELESS) + extension])


def _segments(parts: Sequence[Part], facts: Facts) -> list[list[Piece]]:
    segments: list[list[Piece]] = [[]]
    for piece in _pieces(parts, facts):
        if piece is None:
            segments.append([])
        else:
            segments[-1].append(piece)
    return segments


def _pieces(parts: Sequence[Part], facts: Facts) -> Iterator[Piece | None]:
    """Nothing stands for the border between two folders."""
    for part in parts:
        match part:
            case Slash():
                yield None
            case Literal():
                yield Piece(cleaned(part.text), LITERAL)
            case Value():
                yield Piece(cleaned(_value(part, facts)), TOKENS[part.token].rank)
            case Condition():
                if bool(TOKENS[part.token].read(facts)) == part.wanted:
                    yield from _pieces(part.parts, facts)


def _value(part: Value, facts: Facts) -> str:
    text = TOKENS[part.token].read(facts)
    for apply in part.filters:
        # Replacing can multiply a text; a name needs only the beginning.
        text = apply(text)[:_LONGEST_VALUE]
    return text


def _extension(facts: Facts) -> str:
    bare = "".join(sign for sign in facts.extension if sign.isascii() and sign.isalnum())
    return f".{bare[:_LONGEST_EXTENSION]}" if bare else ""
