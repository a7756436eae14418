"""Lines about problems for notifications."""

from collections.abc import Mapping, Sequence

from quartet.kernel.conditions.types import Condition, Kind
from quartet.kernel.notifier import Language

_TEXTS: Mapping[Kind, Mapping[Language, str]] = {
    "backup": {
        "en": "The backup failed or is overdue ({reason})",
        "de": "Die Sicherung ist fehlgeschlagen oder überfällig ({reason})",
    },
    "disk": {
        "en": "Disk {name}: {reason}",
        "de": "Datenträger {name}: {reason}",
    },
    "hub": {"en": "Hub {name}: {reason}", "de": "Hub {name}: {reason}"},
    "source": {"en": "Source {name} is overdue", "de": "Quelle {name} ist überfällig"},
    "task": {
        "en": "Background task {name} is failing ({reason})",
        "de": "Hintergrundaufgabe {name} schlägt fehl ({reason})",
    },
}
_BEGAN: Mapping[Language, str] = {"en": "Problem: {line}", "de": "Problem: {line}"}
_ENDED: Mapping[Language, str] = {"en": "Solved: {line}", "de": "Behoben: {line}"}


def lines(began: Sequence[Condition], ended: Sequence[Condition], language: Language) -> list[str]:
    return [
        *(_BEGAN[language].format(line=_line(each, language)) for each in began),
        *(_ENDED[language].format(line=_line(each, language)) for each in ended),
    ]


def _line(condition: Condition, language: Language) -> str:
    reason = condition.problem.inputs.get("reason", condition.problem.code)
    return _TEXTS[condition.kind][language].format(name=condition.name, reason=reason)
