"""The checks of `quartet doctor` for sync."""

from quartet.kernel.diagnosis import DiagnosisLine, check_port, runs_already
from quartet.kernel.errors import AppError
from quartet.sync.engine.download import VERSION, downloaded_program
from quartet.sync.engine.program import find_program, probe, reads_data
from quartet.sync.hub.location import hub_listen
from quartet.sync.settings import SyncSettings


async def findings(settings: SyncSettings) -> list[DiagnosisLine]:
    if not settings.hub:
        return []
    found = [await _syncthing(settings)]
    # A running service uses the port itself.
    if not runs_already(settings):
        host, _, port = hub_listen(settings).rpartition(":")
        found.append(check_port("hub port", host.strip("[]"), int(port)))
    return found


async def _syncthing(settings: SyncSettings) -> DiagnosisLine:
    data = settings.hub_data or settings.data
    try:
        path = find_program(None, downloaded_program(data / "programs"))
        if path is None:
            text = f"not installed; {VERSION} is downloaded when the hub starts"
            return DiagnosisLine("Syncthing", "warning", text)
        program = await probe(path)
    except AppError as error:
        return DiagnosisLine("Syncthing", "error", str(error))
    if not reads_data(program, data / "hub"):
        text = f"{program.version} cannot read the data of the hub, which a newer version wrote"
        return DiagnosisLine("Syncthing", "warning", text)
    return DiagnosisLine("Syncthing", "ok", f"{program.version}, {path}")
