from quartet.kernel.supervisor import BackgroundTask, every
from quartet.wind.blend.service import Blends
from quartet.wind.leadership import WORK

_LEARN_SECONDS = 6 * 3600.0
_DEMO_SECONDS = 60.0


def blend_loop(blends: Blends, *, demo: bool) -> BackgroundTask:
    """Learn several times a day; the past of the demo arrives within its first minutes."""

    async def learn() -> None:
        await blends.learn()

    return every(
        _DEMO_SECONDS if demo else _LEARN_SECONDS, learn, name="learn blend", exclusive=WORK
    )
