"""The methods of the qBittorrent interface that change something; clients call them with POST."""

import re
from typing import Any

import msgspec

from quartet.downloads.qbittorrent import torrent
from quartet.downloads.qbittorrent.fields import Answer, Fields, Method, constant
from quartet.downloads.qbittorrent.labels import clean_name
from quartet.downloads.qbittorrent.service import Qbittorrent
from quartet.downloads.qbittorrent.types import NewTorrents, ShareLimits
from quartet.kernel.errors import AppError

OK, FAILS = "Ok.", "Fails."
_LINKS = ("http://", "https://", "ftp://", "sftp://", "magnet:")
# An info hash alone.
_HASH = re.compile(r"[0-9a-f]{40}|[2-7a-z]{32}", re.IGNORECASE)


class WriteMethods:
    def __init__(self, qbittorrent: Qbittorrent) -> None:
        self._service = qbittorrent
        self._labels = qbittorrent.labels
        self._sharing = qbittorrent.sharing

    def methods(self) -> dict[str, Method]:
        return {
            "app/setPreferences": self._set_preferences,
            "transfer/setDownloadLimit": self._set_global_limit,
            "transfer/setUploadLimit": self._set_upload_limit,
            "torrents/setShareLimits": self._set_share_limits,
            "torrents/setUploadLimit": self._set_torrent_upload_limit,
            # Not supported: it helps only the first seeder of a new torrent.
            "torrents/setSuperSeeding": constant(""),
            "torrents/reannounce": self._reannounce,
            "torrents/addTrackers": self._add_trackers,
            "torrents/editTracker": self._edit_tracker,
            "torrents/removeTrackers": self._remove_trackers,
            "torrents/setAutoManagement": constant(""),
            "torrents/add": self._add,
            "torrents/stop": self._stop,
            "torrents/pause": self._stop,
            "torrents/start": self._start,
            "torrents/resume": self._start,
            "torrents/setForceStart": self._set_force_start,
            "torrents/recheck": self._check,
            "torrents/topPrio": self._top,
            "torrents/bottomPrio": self._bottom,
            "torrents/increasePrio": self._up,
            "torrents/decreasePrio": self._down,
            "torrents/filePrio": self._file_priority,
            "torrents/toggleSequentialDownload": self._toggle_sequential,
            "torrents/rename": self._rename,
            "torrents/setLocation": self._set_location,
            "torrents/setSavePath": self._set_save_path,
            "torrents/setDownloadLimit": self._set_limit,
            "torrents/setCategory": self._set_category,
            "torrents/createCategory": self._create_category,
            "torrents/editCategory": self._edit_category,
            "torrents/removeCategories": self._remove_categories,
            "torrents/createTags": self._create_tags,
            "torrents/deleteTags": self._delete_tags,
            "torrents/addTags": self._add_tags,
            "torrents/removeTags": self._remove_tags,
        }

    async def _set_preferences(self, fields: Fields) -> None:
        try:
            given = msgspec.json.decode(fields.required("json"), type=dict[str, Any])
        except (msgspec.MsgspecError, RecursionError):
            raise AppError(400, "invalid_request", field="json") from None
        await self._service.set_preferences(given)

    async def _set_global_limit(self, fields: Fields) -> None:
        await self._service.set_preferences({"dl_limit": fields.number("limit")})

    async def _set_upload_limit(self, fields: Fields) -> None:
        await self._service.set_preferences({"up_limit": fields.number("limit")})

    async def _add(self, fields: Fields) -> Answer:
        lines = (line.strip() for line in fields.text("urls").splitlines())
        urls = [
            f"magnet:?xt=urn:btih:{line}" if _HASH.fullmatch(line) else line
            for line in lines
            if line
        ]
        # Clients must not believe that something was added.
        if not (fields.files or urls) or not all(_is_link(url) for url in urls):
            return FAILS
        given = NewTorrents(
            urls=urls,
            files=fields.files,
            sequential=fields.flag("sequentialDownload"),
            category=fields.text("category"),
            tags=fields.names("tags"),
            save_path=fields.text("savepath"),
            name=clean_name(fields.text("rename")),
            cookies=fields.text("cookie"),
            share_limits=_share_limits(fields),
            limit_kib=max(0, -(-fields.number("dlLimit", 0) // torrent.KIB)),
            stopped=fields.flag("stopped") or fields.flag("paused"),
            on_top=fields.flag("addToTopOfQueue"),
        )
        try:
            await self._service.add(given)
        except AppError as error:
            if error.code not in ("container_damaged", "torrents_unavailable", "no_links"):
                raise
            return FAILS
        return OK

    async def _stop(self, fields: Fields) -> None:
        await self._service.stop(fields.required("hashes"))

    async def _start(self, fields: Fields) -> None:
        await self._service.start(fields.required("hashes"))

    async def _set_force_start(self, fields: Fields) -> None:
        hashes = fields.required("hashes")
        await self._service.set_force_start(hashes, forced=fields.flag("value"))

    async def delete(self, fields: Fields) -> None:
        hashes = fields.required("hashes")
        await self._service.delete(hashes, files=fields.flag("deleteFiles"))

    async def _check(self, fields: Fields) -> None:
        await self._service.check(fields.required("hashes"))

    async def _top(self, fields: Fields) -> None:
        await self._service.move_to_end(await self._ids(fields), top=True)

    async def _bottom(self, fields: Fields) -> None:
        await self._service.move_to_end(await self._ids(fields), top=False)

    async def _up(self, fields: Fields) -> None:
        await self._service.move(await self._ids(fields), up=True)

    async def _down(self, fields: Fields) -> None:
        await self._service.move(await self._ids(fields), up=False)

    async def _ids(self, fields: Fields) -> list[int]:
        return await self._service.ids_of(fields.required("hashes"))

    async def _file_priority(self, fields: Fields) -> None:
        given = fields.required("id").split("|")
        if not all(each.isdecimal() and len(each) < 9 for each in given):
            raise AppError(400, "invalid_request", field="id")
        places, priority = [int(each) for each in given], fields.number("priority")
        await self._service.set_file_priority(fields.required("hash"), places, priority)

    async def _toggle_sequential(self, fields: Fields) -> None:
        await self._service.each(fields.required("hashes"), self._service.toggle_sequential)

    async def _rename(self, fields: Fields) -> None:
        await self._service.rename(fields.required("hash"), fields.required("name"))

    async def _set_location(self, fields: Fields) -> None:
        hashes, location = fields.required("hashes"), fields.required("location")
        await self._service.set_location(hashes, location)

    async def _set_save_path(self, fields: Fields) -> None:
        # This method names its parameters differently.
        await self._service.set_location(fields.required("id"), fields.required("path"))

    async def _set_limit(self, fields: Fields) -> None:
        await self._service.set_limit(fields.required("hashes"), fields.number("limit"))

    async def _set_torrent_upload_limit(self, fields: Fields) -> None:
        await self._sharing.set_upload_limit(fields.required("hashes"), fields.number("limit"))

    async def _reannounce(self, fields: Fields) -> None:
        await self._sharing.announce(fields.required("hashes"))

    async def _add_trackers(self, fields: Fields) -> None:
        addresses = fields.required("urls").split()
        await self._sharing.add_trackers(fields.required("hash"), addresses)

    async def _edit_tracker(self, fields: Fields) -> None:
        old, new = fields.required("origUrl"), fields.required("newUrl")
        await self._sharing.replace_tracker(fields.required("hash"), old, new)

    async def _remove_trackers(self, fields: Fields) -> None:
        addresses = fields.required("urls").split("|")
        await self._sharing.remove_trackers(fields.required("hash"), addresses)

    async def _set_share_limits(self, fields: Fields) -> None:
        await self._sharing.set_share_limits(fields.required("hashes"), _share_limits(fields))

    async def _set_category(self, fields: Fields) -> None:
        hashes, category = fields.required("hashes"), fields.text("category")
        await self._labels.set_category(hashes, category)

    async def _create_category(self, fields: Fields) -> None:
        name, path = fields.required("category"), fields.text("savePath")
        await self._labels.put_category(name, path, exists=False)

    async def _edit_category(self, fields: Fields) -> None:
        name, path = fields.required("category"), fields.text("savePath")
        await self._labels.put_category(name, path, exists=True)

    async def _remove_categories(self, fields: Fields) -> None:
        await self._labels.remove_categories(fields.names("categories", "\n"))

    async def _create_tags(self, fields: Fields) -> None:
        await self._labels.create_tags(fields.names("tags"))

    async def _delete_tags(self, fields: Fields) -> None:
        await self._labels.delete_tags(fields.names("tags"))

    async def _add_tags(self, fields: Fields) -> None:
        await self._labels.add_tags(fields.required("hashes"), fields.names("tags"))

    async def _remove_tags(self, fields: Fields) -> None:
        hashes, names = fields.required("hashes"), fields.names("tags")
        await self._labels.remove_tags(hashes, names)


def _share_limits(fields: Fields) -> ShareLimits:
    return ShareLimits(
        fields.share_limit("ratioLimit", 100), fields.share_limit("seedingTimeLimit")
    )


def _is_link(url: str) -> bool:
    return url.lower().startswith(_LINKS)
