"""Creates the files of the sample server on the first start."""

import hashlib
import subprocess
from pathlib import Path

from quartet.downloads.archives.program import program

CAPTCHA = Path(__file__).with_name("captcha.png")
ICON = Path(__file__).with_name("icon.png")
CAPTCHA_ANSWER = "harbour"
KNOWN_PASSWORD = "tide-table"  # noqa: S105 - sample data
# Not stored with the package, so that the user is asked; the note in the package contains it.
ASKED_PASSWORD = "lighthouse"  # noqa: S105

MIB = 1024 * 1024
# Not stored on the disk; the server generates their content.
SLOW = {
    "harbour-timelapse-night.mkv": 320 * MIB,
    "harbour-timelapse-day.mkv": 280 * MIB,
    "harbour-timelapse-storm.mkv": 240 * MIB,
    "survey-map-2026.iso": 180 * MIB,
    "regatta-first-race.mkv": 260 * MIB,
    "regatta-second-race.mkv": 220 * MIB,
    "dune-survey-north.tif": 150 * MIB,
    "dune-survey-south.tif": 170 * MIB,
}
RECORDINGS = ("recording-01-dunes.flac", "recording-02-ferry.flac", "recording-03-rain.flac")
SUMS = "recordings.sha256"
OPEN_ARCHIVE = "logbook-scans.7z"
ASKED_ARCHIVE = "cabin-plans.7z"
NOTE = "cabin-plans-read-me.txt"
PAPERS = ("timetable-winter.pdf", "timetable-summer.pdf", "chart-inner-harbour.pdf")

_NOTE_TEXT = f"""\
cabin-plans.7z is locked, to show how an archive asks for its password.
The password is: {ASKED_PASSWORD}

cabin-plans.7z ist verschlossen und zeigt, wie nach einem Passwort gefragt wird.
Das Passwort lautet: {ASKED_PASSWORD}
"""


def make_files(folder: Path) -> None:
    if folder.is_dir():
        return
    part = folder.with_name(f"{folder.name}.part")
    part.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate((*RECORDINGS, *PAPERS), start=1):
        (part / name).write_bytes(_content(name, number * 300_000))
    sums = [f"{_sum(part / name)}  {name}" for name in RECORDINGS]
    (part / SUMS).write_text("\n".join(sums) + "\n")
    (part / NOTE).write_text(_NOTE_TEXT)
    _archive(part / OPEN_ARCHIVE, KNOWN_PASSWORD, "logbook", 4)
    _archive(part / ASKED_ARCHIVE, ASKED_PASSWORD, "plan", 2)
    part.rename(folder)


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _content(seed: str, size: int) -> bytes:
    """Return content that is the same on every start and cannot be compressed."""
    return hashlib.shake_128(seed.encode()).digest(size)


def _archive(path: Path, password: str, stem: str, count: int) -> None:
    inside = path.with_suffix("")
    inside.mkdir(exist_ok=True)
    for number in range(1, count + 1):
        (inside / f"{stem}-page-{number:02}.png").write_bytes(_content(f"{stem} {number}", 150_000))
    # `-mhe` also encrypts the file names, so that nothing can be listed without the password.
    command = [program(), "a", "-bd", "-y", f"-p{password}", "-mhe=on", str(path), f"{inside}/."]
    # In a separate session, because Ctrl-C would end it before the service stops.
    subprocess.run(  # noqa: S603
        command, check=True, capture_output=True, timeout=60, start_new_session=True
    )
    for file in inside.iterdir():
        file.unlink()
    inside.rmdir()
