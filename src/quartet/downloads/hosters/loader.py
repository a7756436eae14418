"""Loads the built-in plugins and those of the user, which override built-in ones."""

import asyncio
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import msgspec

from quartet.downloads.hosters import modules
from quartet.downloads.hosters.call_timer import CallTimer
from quartet.downloads.hosters.plugin import Plugin
from quartet.downloads.hosters.types import LoadError, PluginList, Replaced
from quartet.downloads.hosters.workers import CallTimedOut, PluginStuck, Workers
from quartet.kernel.errors import Problem

IMPORT_SECONDS = 20.0
SETTINGS_FILE = "settings.toml"
_LONGEST_REASON = 500


@dataclass
class LoadedPlugins:
    folder: Path
    # The user's plugins come first, so that they can take over links of others.
    plugins: dict[str, Plugin] = field(default_factory=dict)
    errors: list[LoadError] = field(default_factory=list)

    def shown(self) -> PluginList:
        plugins = sorted(self.plugins.values(), key=lambda plugin: plugin.name.casefold())
        return PluginList([plugin.shown() for plugin in plugins], self.errors, str(self.folder))


class PluginLoader:
    def __init__(self, folder: Path, workers: Workers, seconds: float = IMPORT_SECONDS) -> None:
        self._folder = folder
        self._workers = workers
        self._seconds = seconds

    async def load_all(self) -> LoadedPlugins:
        loaded = LoadedPlugins(self._folder)
        for path in await asyncio.to_thread(modules.user_files, self._folder):
            shown = str(path.relative_to(self._folder))
            await self._add(loaded, shown, partial(modules.user_plugins, path, shown))
        for name in await asyncio.to_thread(modules.builtin_names):
            await self._add(loaded, f"builtin/{name}", partial(modules.builtin_plugins, name))
        await asyncio.to_thread(self._apply_settings, loaded)
        return loaded

    async def _add(
        self, loaded: LoadedPlugins, file: str, load: Callable[[], list[Plugin]]
    ) -> None:
        async def job() -> list[Plugin]:
            return load()

        try:
            found = await self._workers.run(f"import {file}", job, CallTimer(self._seconds))
        except (CallTimedOut, PluginStuck):
            loaded.errors.append(_unloadable(file, "the import does not end"))
        except Exception as error:  # noqa: BLE001 - plugins may raise anything
            loaded.errors.append(_unloadable(file, reason_of(error)))
        else:
            for plugin in found:
                _add_plugin(loaded, plugin)

    def _apply_settings(self, loaded: LoadedPlugins) -> None:
        """Apply `settings.toml`, which has a table for each plugin with changed settings."""
        try:
            text = (self._folder / SETTINGS_FILE).read_text()
            tables = msgspec.convert(tomllib.loads(text), dict[str, dict[str, str]])
        except FileNotFoundError:
            return
        except (OSError, ValueError, msgspec.ValidationError) as error:
            loaded.errors.append(_unloadable(SETTINGS_FILE, reason_of(error)))
            return
        for id, values in tables.items():
            plugin = loaded.plugins.get(id)
            if plugin is None or not values.keys() <= plugin.declared.settings.keys():
                loaded.errors.append(_unloadable(SETTINGS_FILE, f"unknown: {id}"))
            else:
                plugin.hoster.settings = {**plugin.declared.settings, **values}


def _add_plugin(loaded: LoadedPlugins, plugin: Plugin) -> None:
    existing = loaded.plugins.get(plugin.id)
    if existing is None:
        loaded.plugins[plugin.id] = plugin
    elif plugin.builtin and not existing.builtin:
        newer = _version(plugin.declared.version) > _version(existing.declared.version)
        replaced = Replaced(plugin.declared.version, plugin.file, newer)
        loaded.plugins[plugin.id] = replace(existing, replaces=replaced)
    else:
        duplicate = Problem("plugin_twice", {"id": plugin.id, "file": existing.file})
        loaded.errors.append(LoadError(plugin.file, duplicate))


def _version(text: str) -> list[int]:
    return [int(part) if part.isdecimal() else 0 for part in text.split(".")]


def _unloadable(file: str, reason: str) -> LoadError:
    return LoadError(file, Problem("plugin_unloadable", {"file": file, "reason": reason}))


def reason_of(error: BaseException) -> str:
    """Return a message for the plugin's author; even printing a foreign error may fail."""
    try:
        return f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
    except Exception:  # noqa: BLE001
        return type(error).__name__
