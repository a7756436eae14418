from collections.abc import Mapping

from quartet.sync.engine import EngineCompletion
from quartet.sync.hub.types import Completion


def shown_completions(
    found: Mapping[str, Mapping[str, EngineCompletion]],
) -> dict[str, dict[str, Completion]]:
    """Return how much of each folder its devices have."""
    return {
        folder: {device: _shown(each) for device, each in devices.items()}
        for folder, devices in found.items()
    }


def _shown(completion: EngineCompletion) -> Completion:
    if not completion.known:
        return Completion(percent=0.0, need_bytes=0, need_items=0, known=False)
    return Completion(
        percent=completion.completion,
        need_bytes=completion.need_bytes,
        need_items=completion.need_items + completion.need_deletes,
        known=True,
    )
