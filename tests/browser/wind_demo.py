"""A wind service with demo weather, and what its API says."""

import fcntl
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import floor
from pathlib import Path
from typing import Any

import httpx

from tests.client import NO_AUTHORITIES
from tests.process import quartet_serve
from tests.real_servers import free_port

STATION = "hamburg-airport-eddh"
MODELS = ("icon-d2", "icon-eu", "gfs")
HOUR = 3600


class Demo:
    def __init__(self, address: str) -> None:
        self.address = address

    def get(self, path: str) -> Any:
        answer = httpx.get(f"{self.address}/api/{path}", timeout=30, verify=NO_AUTHORITIES)
        answer.raise_for_status()
        return answer.json()

    def wait(self) -> None:
        """Until every model has a run and the station has been measured."""
        until = time.monotonic() + 120
        while (
            None in self.get("health")["dataAge"].values()
            or not self.get(f"stations/{STATION}/live")["latest"]
        ):
            assert time.monotonic() < until, "no demo weather"
            time.sleep(0.3)


def weather_once(folder: Path) -> Path:
    """The data of a demo, made by the first who asks: a copy takes less than new weather."""
    made, ready = folder / "data", folder / "ready"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            with _served(folder):
                wait_until_filled(made / "wind")
            ready.touch()
    return made


def wait_until_filled(data: Path) -> None:
    """Until a demo has everything there is to try; that of wind also its account."""
    until = time.monotonic() + 60
    while not (data / "demo-filled").exists():
        assert time.monotonic() < until, "no demo"
        time.sleep(0.1)


@contextmanager
def wind_demo(folder: Path, weather: Path, **settings: object) -> Iterator[Demo]:
    """With accounts and settings of its own, and the weather of all demos of this run."""
    shutil.copytree(weather, folder / "data")
    with _served(folder, **settings) as demo:
        yield demo


@contextmanager
def _served(folder: Path, **settings: object) -> Iterator[Demo]:
    """On a port that is known before: mails carry links to it."""
    given = {"demo_size": "tiny", "models": ",".join(MODELS), **settings}
    variables = {f"WIND_{name.upper()}": str(value) for name, value in given.items()}
    options = ("--demo", "--port", str(free_port()))
    with quartet_serve(folder, *options, services=("wind",), **variables) as running:
        demo = Demo(running.addresses["wind"])
        demo.wait()
        yield demo


def shown(knots: float | None, factor: float = 1) -> str:
    """As a cell shows it: browsers round halves up."""
    return "" if knots is None else str(floor(knots * factor + 0.5))


def hours(forecasts: list[dict[str, Any]], now: float) -> list[int]:
    """Those that the table shows: each of two days, every third later."""
    start = floor(now / HOUR) * HOUR
    known = {at for series in forecasts for at in series["times"] if at >= start}
    return sorted(at for at in known if at <= start + 48 * HOUR or at % (3 * HOUR) == 0)
