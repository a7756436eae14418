"""How test files are distributed to the workers of pytest-xdist."""

from xdist.scheduler import LoadFileScheduling

# These files share a wind service with demo weather, which is expensive to start in every worker.
DEMO_FILES = ("/browser/test_main_tasks.py", "/browser/test_wind")


class SharedDemoScheduling(LoadFileScheduling):  # type: ignore[misc]
    """Give each file to one worker, and all files that use the demo weather to the same one."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::")[0]
        return "demo weather" if uses_demo_weather(path) else path


def uses_demo_weather(path: str) -> bool:
    return any(part in path for part in DEMO_FILES)
