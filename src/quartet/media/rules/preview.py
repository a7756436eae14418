from collections import Counter
from collections.abc import Sequence

from quartet.kernel.errors import AppError, problem_of
from quartet.kernel.user_patterns import UserPatterns
from quartet.media.moves.generated_names import collision_key
from quartet.media.roots.path_encoding import encode_path
from quartet.media.rules.apply import safe_final_name, steps
from quartet.media.rules.types import File, Renamed, Rule, RulesPreview


def preview(rules: Sequence[Rule], files: Sequence[File], patterns: UserPatterns) -> RulesPreview:
    """Return every name after each rule, and which names would collide. Blocks."""
    try:
        done = list(steps(rules, files, patterns))
    except AppError as error:
        return RulesPreview([], problem_of(error))
    last = done[-1] if done else [file.name for file in files]
    names = [safe_final_name(name, file) for name, file in zip(last, files, strict=True)]
    taken = Counter(_key(file, name) for file, name in zip(files, names, strict=True))
    return RulesPreview(
        [
            Renamed(
                encode_path(f"{file.folder}/{file.name}"),
                encode_path(names[at]),
                [encode_path(step[at]) for step in done],
                taken[_key(file, names[at])] > 1,
            )
            for at, file in enumerate(files)
        ]
    )


def _key(file: File, name: str) -> str:
    """Equal for names that are the same file on some disk."""
    return collision_key(f"{file.folder}/{name}")
