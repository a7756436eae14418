"""Reads and writes the record of backups. Blocks."""

import logging
import time
from pathlib import Path

import msgspec

from quartet.kernel.backups.types import Record
from quartet.kernel.files import Root, write_atomic

log = logging.getLogger("quartet.backups")

FILE_NAME = "backups.json"


def read_record(data: Path) -> Record:
    try:
        return msgspec.json.decode((data / FILE_NAME).read_bytes(), type=Record)
    except FileNotFoundError:
        return Record(since=int(time.time()))
    except (OSError, msgspec.MsgspecError) as error:
        log.warning("cannot read the record of backups, starting a new one: %s", error)
        return Record(since=int(time.time()))


def write_record(data: Path, record: Record) -> None:
    content = msgspec.json.format(msgspec.json.encode(record))
    write_atomic(Root(data), FILE_NAME, content, mode=0o600)


def has_record(data: Path) -> bool:
    return (data / FILE_NAME).exists()


def change_record(data: Path, **values: object) -> Record:
    record = msgspec.structs.replace(read_record(data), **values)
    write_record(data, record)
    return record
