from collections import Counter
from collections.abc import Sequence

from quartet.kernel.errors import AppError, problem_of
from quartet.media.moves.names import sameness
from quartet.media.roots.texts import path_text
from quartet.media.rules.apply import final, steps
from quartet.media.rules.types import File, Renamed, Rule, RulesPreview


def preview(rules: Sequence[Rule], files: Sequence[File]) -> RulesPreview:
    """What each rule makes of each name, and which names would clash. Blocks."""
    try:
        done = list(steps(rules, files))
    except AppError as error:
        return RulesPreview([], problem_of(error))
    last = done[-1] if done else [file.name for file in files]
    names = [final(name, file) for name, file in zip(last, files, strict=True)]
    taken = Counter(_key(file, name) for file, name in zip(files, names, strict=True))
    return RulesPreview(
        [
            Renamed(
                path_text(f"{file.folder}/{file.name}"),
                path_text(names[at]),
                [path_text(step[at]) for step in done],
                taken[_key(file, names[at])] > 1,
            )
            for at, file in enumerate(files)
        ]
    )


def _key(file: File, name: str) -> str:
    """Equal for names that some disk takes for the same."""
    return sameness(f"{file.folder}/{name}")
