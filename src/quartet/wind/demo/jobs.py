from pathlib import Path

from quartet.wind.settings import DemoSize


def write_steps(model: str, run: int, steps: tuple[int, ...], folder: Path, size: DemoSize) -> None:
    """Write one batch in a worker process, where ecCodes is loaded."""
    from quartet.wind.demo import members, mirror
    from quartet.wind.demo.spread import WIND_OF

    write = members.write_steps if model in WIND_OF else mirror.write_steps
    write(model, run, steps, folder, size)
