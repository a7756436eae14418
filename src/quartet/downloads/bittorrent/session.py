"""Runs torrents with libtorrent, in the torrent process."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import libtorrent as lt

from quartet.downloads.bittorrent.address_filter import (
    AddressRule,
    policy_rules,
    read_block_list,
)
from quartet.downloads.bittorrent.checking import damaged_files
from quartet.downloads.bittorrent.metainfo import metainfo_of, torrent_file
from quartet.downloads.bittorrent.session_settings import changeable_settings, fixed_settings
from quartet.downloads.bittorrent.session_views import is_connected, peer_of, tracker_of
from quartet.downloads.bittorrent.torrent_params import RESUME, params_of
from quartet.downloads.bittorrent.types import (
    Add,
    Announce,
    Broken,
    Change,
    ChangeSharing,
    Command,
    Completed,
    Configure,
    Describe,
    Described,
    FilesChecked,
    Message,
    MetainfoArrived,
    Parse,
    Parsed,
    Recheck,
    Remove,
    Removed,
    SessionSettings,
    State,
    TorrentStatus,
)
from quartet.kernel.address_policy import AddressPolicy
from quartet.kernel.errors import Problem

SAVE_SECONDS = 10.0
MOST_PEERS = 200

_SAVE = lt.save_resume_flags_t.flush_disk_cache | lt.save_resume_flags_t.save_info_dict
_IF_MODIFIED = lt.save_resume_flags_t.only_if_modified
_STATES: Mapping[Any, State] = {
    lt.torrent_status.states.downloading_metadata: "metadata",
    lt.torrent_status.states.checking_files: "checking",
    lt.torrent_status.states.checking_resume_data: "checking",
    lt.torrent_status.states.downloading: "downloading",
    lt.torrent_status.states.finished: "seeding",
    lt.torrent_status.states.seeding: "seeding",
}


class _Torrent:
    """A running torrent. `ending` is sent once its data is saved."""

    def __init__(self, command: Add, handle: lt.torrent_handle) -> None:
        self.id = command.id
        self.command = command
        self.handle = handle
        self.ending: Message | None = None

    @property
    def seeds_only(self) -> bool:
        return self.command.finished is not None


class Session:
    """All torrents of the process. `boot` identifies this start of the machine.

    Resume data of an earlier boot is ignored, because it may be newer than the data on the disk;
    the files are then checked.
    """

    def __init__(self, boot: str, alert_fd: int) -> None:
        self._boot = boot
        self._session = lt.session(fixed_settings())  # type: ignore[call-overload]
        self._session.set_alert_fd(alert_fd)
        self._torrents: dict[int, _Torrent] = {}
        self._by_handle: dict[lt.torrent_handle, _Torrent] = {}
        self._outbox: list[Message] = []
        self._next_save = time.monotonic() + SAVE_SECONDS
        self._settings = SessionSettings()
        # When the block list that is applied was written.
        self._block_list_changed: int | None = None

    def handle(self, command: Command) -> None:
        match command:
            case Configure(settings):
                self._configure(settings)
            case Parse(request, content):
                self._outbox.append(Parsed(request, metainfo_of(content)))
            case Add():
                self._add(command)
            case Change():
                self._change(command)
            case ChangeSharing():
                self._change_sharing(command)
            case Announce(id) | Recheck(id):
                self._force(command, id)
            case Remove(id):
                self._remove(id)
            case Describe(request, id):
                self._outbox.append(self._describe(request, id))

    def messages(self) -> list[Message]:
        """Handle what libtorrent reports; return the messages to send."""
        for alert in self._session.pop_alerts():
            self._on_alert(alert)
        sent, self._outbox = self._outbox, []
        return sent

    def statuses(self) -> list[TorrentStatus]:
        """Return the figures of all torrents; call it about once a second."""
        if time.monotonic() >= self._next_save:
            self._next_save = time.monotonic() + SAVE_SECONDS
            self._save_all(_SAVE | _IF_MODIFIED)
        return [_status(each) for each in self._torrents.values() if each.ending is None]

    def close(self, seconds: float) -> None:
        """Save the resume data of all torrents; wait at most this long."""
        self._session.pause()
        self._save_all(_SAVE)
        left = {each.id for each in self._torrents.values() if not each.seeds_only}
        end = time.monotonic() + seconds
        while left and time.monotonic() < end:
            self._session.wait_for_alert(100)
            for alert in self._session.pop_alerts():
                if isinstance(alert, lt.save_resume_data_alert | lt.save_resume_data_failed_alert):
                    torrent = self._by_handle.get(alert.handle)
                    left.discard(torrent.id if torrent else -1)
                self._on_alert(alert)

    def _configure(self, settings: SessionSettings) -> None:
        before, self._settings = self._settings, settings
        self._load_filter()
        self._session.apply_settings(changeable_settings(settings))
        if settings.proxy != before.proxy:
            # Connections to peers would otherwise stay as they are.
            for torrent in self._torrents.values():
                if torrent.ending is None:
                    torrent.handle.pause()
                    torrent.handle.resume()

    def _load_filter(self) -> Problem | None:
        """Apply the block list, if it has changed; return why there is none."""
        settings, ranges, problem = self._settings, list[AddressRule](), None
        if settings.block_list:
            path = Path(settings.block_list)
            try:
                if (changed := path.stat().st_mtime_ns) == self._block_list_changed:
                    return None
                ranges, self._block_list_changed = read_block_list(path), changed
            except (OSError, EOFError, ValueError):
                if self._block_list_changed is not None:
                    return None  # the list so far stays
                problem = Problem("block_list_unusable", {"path": settings.block_list})
        chosen = lt.ip_filter()
        for rule in [*policy_rules(AddressPolicy(settings.allow_private)), *ranges]:
            chosen.add_rule(rule.first, rule.last, 1 if rule.blocked else 0)
        self._session.set_ip_filter(chosen)
        return problem

    def _add(self, command: Add) -> None:
        if command.id in self._torrents:
            return
        if self._settings.block_list and (problem := self._load_filter()):
            self._outbox.append(Broken(command.id, problem))
            return
        try:
            params = params_of(command, self._boot)
            handle = self._session.add_torrent(params)
        except (RuntimeError, ValueError, OSError) as error:
            self._outbox.append(Broken(command.id, _problem(str(error))))
            return
        torrent = _Torrent(command, handle)
        self._torrents[command.id] = self._by_handle[handle] = torrent
        handle.set_download_limit(command.download_limit)
        handle.set_upload_limit(command.upload_limit)

    def _change(self, command: Change) -> None:
        torrent = self._torrents.get(command.id)
        if torrent is None or not torrent.handle.status().has_metadata:
            return
        handle = torrent.handle
        count = len(handle.get_file_priorities())
        handle.prioritize_files([command.priorities.get(index, 0) for index in range(count)])
        handle.set_download_limit(command.download_limit)
        set_flags = handle.set_flags if command.sequential else handle.unset_flags
        set_flags(lt.torrent_flags.sequential_download)

    def _change_sharing(self, command: ChangeSharing) -> None:
        torrent = self._torrents.get(command.id)
        if torrent is None:
            return
        torrent.handle.set_upload_limit(command.upload_limit)
        if command.trackers is not None:
            entries = [lt.announce_entry(url) for url in command.trackers]
            for tier, entry in enumerate(entries):
                entry.tier = tier
            torrent.handle.replace_trackers(entries)

    def _force(self, command: Announce | Recheck, id: int) -> None:
        torrent = self._torrents.get(id)
        if torrent is None:
            return
        if isinstance(command, Announce):
            torrent.handle.force_reannounce()
        else:
            torrent.handle.force_recheck()

    def _remove(self, id: int) -> None:
        torrent = self._torrents.get(id)
        if torrent is None:
            self._outbox.append(Removed(id))
            return
        self._end(torrent, Removed(id))

    def _end(self, torrent: _Torrent, message: Message) -> None:
        """Save the resume data, which also flushes the data, then remove the torrent."""
        if torrent.ending is None:
            torrent.ending = message
            torrent.handle.pause()
            torrent.handle.save_resume_data(_SAVE)

    def _save_all(self, flags: int) -> None:
        for torrent in self._torrents.values():
            if not torrent.seeds_only and torrent.ending is None:
                torrent.handle.save_resume_data(flags)

    def _on_alert(self, alert: lt.alert) -> None:
        torrent = self._by_handle.get(getattr(alert, "handle", None))  # type: ignore[arg-type]
        if torrent is None:
            return
        if isinstance(alert, lt.metadata_received_alert):
            self._metadata_received(torrent)
        elif isinstance(alert, lt.torrent_finished_alert):
            self._finished(torrent)
        elif isinstance(alert, lt.torrent_checked_alert):
            self._checked(torrent)
        elif isinstance(alert, lt.torrent_error_alert | lt.file_error_alert):
            self._end(torrent, Broken(torrent.id, _problem(alert.error.message(), alert)))
        elif isinstance(alert, lt.save_resume_data_alert):
            self._saved(torrent, alert)
        elif isinstance(alert, lt.save_resume_data_failed_alert):
            self._drop(torrent)

    def _metadata_received(self, torrent: _Torrent) -> None:
        handle = torrent.handle
        info = handle.torrent_file()
        if info is None:
            return
        content = torrent_file(info, [tracker["url"] for tracker in handle.trackers()])
        found = metainfo_of(content)
        if found is None:
            self._end(torrent, Broken(torrent.id, Problem("container_damaged")))
            return
        for index in range(info.num_files()):
            handle.rename_file(index, str(index))
        self._outbox.append(MetainfoArrived(torrent.id, content, found))

    def _finished(self, torrent: _Torrent) -> None:
        status = torrent.handle.status()
        wanted = any(torrent.handle.get_file_priorities())
        if not torrent.seeds_only and wanted and status.has_metadata:
            self._end(torrent, Completed(torrent.id, status.all_time_upload))

    def _checked(self, torrent: _Torrent) -> None:
        if torrent.command.check:
            damaged = damaged_files(torrent.handle, torrent.command.finished or ())
            self._end(torrent, FilesChecked(torrent.id, damaged))

    def _saved(self, torrent: _Torrent, alert: lt.save_resume_data_alert) -> None:
        if not torrent.seeds_only and alert.params.ti is not None:
            with suppress(OSError):
                data = lt.write_resume_data_buf(alert.params)
                _write(Path(torrent.command.folder) / RESUME, self._boot.encode() + b"\n" + data)
        self._drop(torrent)

    def _drop(self, torrent: _Torrent) -> None:
        """Remove a torrent that is ending."""
        if torrent.ending is None or self._torrents.get(torrent.id) is not torrent:
            return
        del self._torrents[torrent.id]
        del self._by_handle[torrent.handle]
        self._session.remove_torrent(torrent.handle)
        self._outbox.append(torrent.ending)

    def _describe(self, request: int, id: int) -> Described:
        torrent = self._torrents.get(id)
        if torrent is None:
            return Described(request, [], [])
        peers = [each for each in torrent.handle.get_peer_info() if is_connected(each)][:MOST_PEERS]
        trackers = torrent.handle.trackers()
        return Described(request, list(map(peer_of, peers)), list(map(tracker_of, trackers)))


def _status(torrent: _Torrent) -> TorrentStatus:
    status = torrent.handle.status(0)
    done = torrent.handle.file_progress() if status.has_metadata else []
    return TorrentStatus(
        torrent.id,
        _STATES.get(status.state, "downloading"),
        dict(enumerate(done)),
        status.download_payload_rate,
        status.upload_payload_rate,
        status.all_time_upload,
        status.num_peers,
        status.num_seeds,
    )


def _problem(text: str, alert: Any = None) -> Problem:
    code = getattr(getattr(alert, "error", None), "value", int)()
    if code == 28:  # ENOSPC, with which libtorrent reports a full disk
        return Problem("disk_full", {"path": ""})
    return Problem("torrent_failed", {"text": text})


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".new")
    part.write_bytes(data)
    part.replace(path)
