"""How one job names things: its templates and folders, looked up once."""

from collections.abc import Mapping
from typing import NamedTuple

from quartet.media.catalog.types import Kind
from quartet.media.jobs.rows import ItemRow
from quartet.media.jobs.types import JobConfig
from quartet.media.match.facts import facts_of
from quartet.media.match.groups import kind_of
from quartet.media.naming.render import render
from quartet.media.naming.service import Formats
from quartet.media.naming.template import Condition, Part, Value, compiled
from quartet.media.options.service import OptionsService
from quartet.media.probe.types import Probed
from quartet.media.roots.service import Folders
from quartet.media.roots.texts import path_of

_KINDS: tuple[Kind, ...] = ("movie", "series")
# What a name may lack and the content of the file tells.
_PROBED = {
    "vf": "resolution",
    "vc": "video_codec",
    "ac": "audio_codec",
    "af": "audio_channels",
    "hdr": "hdr",
    "lang": "languages",
}


class Layout(NamedTuple):
    config: JobConfig
    templates: Mapping[Kind, str]
    # Where things of a kind go; nothing where there is no library for it.
    bases: Mapping[Kind, str | None]
    threshold: float
    # Less sure than this, a match is not even suggested.
    suggest_threshold: float

    def base(self, item: ItemRow) -> str | None:
        """The folder a target is relative to."""
        if self.config.in_place:
            return item.folder
        if self.config.target:
            return path_of(self.config.target)
        if self.config.mode == "rules":
            return item.folder
        other = self.config.targets.other
        return path_of(other) if other and _is_other(item) else self.bases[_kind(item)]

    def rendered(self, item: ItemRow, probed: Probed | None) -> str | None:
        """The whole path; nothing without a match or without a library."""
        base = self.base(item)
        if item.parsed is None or item.match is None or base is None:
            return None
        facts = facts_of(item.parsed, item.match, probed)
        if facts is None:
            return None
        tails = [companion.tail for companion in item.companions]
        path = render(self.templates[facts.kind], facts, tails)
        if item.is_folder and "/" in path and not self.config.in_place:
            # A disc is a folder already: players look for its files in that of the film.
            path = path.rpartition("/")[0]
        return f"{base}/{path.rpartition('/')[2] if self.config.in_place else path}"

    def wants_probe(self, item: ItemRow) -> bool:
        """Whether the template names what the name of the file does not tell."""
        if item.is_folder or not item.parsed or not item.match or not item.match.best:
            return False
        tokens = _tokens(compiled(self.templates[item.match.best.kind]))
        release = item.parsed.release
        return any(not getattr(release, _PROBED[token]) for token in tokens if token in _PROBED)


class Layouts:
    def __init__(self, folders: Folders, formats: Formats, options: OptionsService) -> None:
        self._folders = folders
        self._formats = formats
        self._options = options

    async def of(self, config: JobConfig) -> Layout:
        options = await self._options.current()
        templates = {
            kind: getattr(config.templates, kind)
            or await self._formats.template(
                getattr(config.formats, kind) or getattr(options.formats, kind), kind
            )
            for kind in _KINDS
        }
        threshold = options.auto_threshold if config.threshold is None else config.threshold
        # More than any match can be.
        sure = 2.0 if config.review else threshold
        # What goes on by itself needs its match, however low somebody has set that.
        suggested = min(options.suggest_threshold, sure)
        return Layout(config, templates, await self._bases(config), sure, suggested)

    async def _bases(self, config: JobConfig) -> dict[Kind, str | None]:
        movies, series = [await self._folders.default(kind) for kind in ("movies", "series")]
        defaults = {"movie": movies, "series": series}
        bases: dict[Kind, str | None] = {}
        for kind in _KINDS:
            given, library = getattr(config.targets, kind), defaults[kind]
            bases[kind] = path_of(given) if given else library.system_path if library else None
        return bases


def _kind(item: ItemRow) -> Kind:
    if item.match and item.match.best:
        return item.match.best.kind
    return kind_of(item.parsed) if item.parsed else "movie"


def _is_other(item: ItemRow) -> bool:
    """No catalog knows it: a person may name it by hand."""
    return item.match is None or item.match.best is None


def _tokens(parts: tuple[Part, ...]) -> set[str]:
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Value | Condition):
            found.add(part.token)
        if isinstance(part, Condition):
            found |= _tokens(tuple(part.parts))
    return found
