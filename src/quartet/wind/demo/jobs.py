from pathlib import Path

from quartet.wind.settings import DemoSize


def write_steps(model: str, run: int, steps: tuple[int, ...], folder: Path, size: DemoSize) -> None:
    """Write one batch in a worker process, where ecCodes is loaded."""
    from quartet.wind.demo import mirror

    mirror.write_steps(model, run, steps, folder, size)
