"""Templates, target folders and thresholds of one job, loaded once."""

from collections.abc import Mapping
from typing import NamedTuple

from quartet.media.jobs.records import ItemRecord
from quartet.media.jobs.types import JobConfig
from quartet.media.match.name_facts import name_facts
from quartet.media.match.search_groups import kind_of
from quartet.media.naming.extra_paths import extra_path
from quartet.media.naming.render import render
from quartet.media.naming.service import Formats
from quartet.media.naming.template import Condition, TemplatePart, Value, compile_template
from quartet.media.options.service import OptionsService
from quartet.media.options.types import ExtrasPolicy, JunkPolicy
from quartet.media.probe.types import Probed
from quartet.media.roots.path_encoding import decode_path
from quartet.media.roots.service import Folders
from quartet.media.roots.types import FolderKind
from quartet.media.types import FormatKind, Kind

# Each kind with the kind of its library.
_KINDS: dict[FormatKind, FolderKind] = {
    "movie": "movies",
    "series": "series",
    "music": "music",
    "photos": "photos",
}
# Tokens whose value may be missing in the file name but known from the content.
_PROBED = {
    "vf": "resolution",
    "vc": "video_codec",
    "ac": "audio_codec",
    "af": "audio_channels",
    "hdr": "hdr",
    "lang": "languages",
}


class TargetLayout(NamedTuple):
    config: JobConfig
    templates: Mapping[FormatKind, str]
    # Target folder per kind; None if no library is configured.
    bases: Mapping[FormatKind, str | None]
    threshold: float
    # Matches below this confidence are not suggested.
    suggest_threshold: float
    extras: ExtrasPolicy
    junk: JunkPolicy

    def base(self, item: ItemRecord) -> str | None:
        """Return the folder that the item's target is relative to."""
        if self.config.in_place:
            return item.folder
        if self.config.target:
            return decode_path(self.config.target)
        if self.config.mode == "rules":
            return item.folder
        if self.config.tagged:
            return self.bases[self.config.tagged]
        other = self.config.targets.other
        return decode_path(other) if other and _is_other(item) else self.bases[_kind(item)]

    def rendered(self, item: ItemRecord, probed: Probed | None) -> str | None:
        """Return the full target path, or None without a match or a library."""
        base = self.base(item)
        if item.parsed is None or item.match is None or base is None:
            return None
        facts = name_facts(item.parsed, item.match, probed)
        if facts is None or item.match.best is None:
            return None
        tails = [companion.tail for companion in item.companions]
        path = render(self.templates[facts.kind], facts, tails)
        if item.parsed.extra:
            # The name of an extra says nothing without its folder.
            if self.config.in_place or self.extras != "file":
                return None
            path = extra_path(
                path, item.match.best.kind, item.parsed.extra, item.parsed.extra_title
            )
        if item.is_folder and "/" in path and not self.config.in_place:
            # A disc is a folder already, so it becomes the movie folder itself.
            path = path.rpartition("/")[0]
        return f"{base}/{path.rpartition('/')[2] if self.config.in_place else path}"

    def wants_probe(self, item: ItemRecord) -> bool:
        """Return True if the template needs a value that the file name lacks."""
        if item.is_folder or not item.parsed or not item.match or not item.match.best:
            return False
        tokens = _tokens(compile_template(self.templates[item.match.best.kind]))
        release = item.parsed.release
        return any(not getattr(release, _PROBED[token]) for token in tokens if token in _PROBED)


class TargetLayouts:
    def __init__(self, folders: Folders, formats: Formats, options: OptionsService) -> None:
        self._folders = folders
        self._formats = formats
        self._options = options

    async def of(self, config: JobConfig) -> TargetLayout:
        options = await self._options.current()
        templates = {
            kind: getattr(config.templates, kind)
            or await self._formats.template(
                getattr(config.formats, kind) or getattr(options.formats, kind), kind
            )
            for kind in _KINDS
        }
        threshold = options.auto_threshold if config.threshold is None else config.threshold
        # Above any possible confidence, so that every item needs review.
        sure = 2.0 if config.review else threshold
        # An item that is moved without review needs its match, even with a low threshold.
        suggested = min(options.suggest_threshold, sure)
        return TargetLayout(
            config,
            templates,
            await self._bases(config),
            sure,
            suggested,
            config.extras or options.extras,
            config.junk or options.junk,
        )

    async def _bases(self, config: JobConfig) -> dict[FormatKind, str | None]:
        bases: dict[FormatKind, str | None] = {}
        for kind, folder_kind in _KINDS.items():
            given, library = getattr(config.targets, kind), await self._folders.default(folder_kind)
            bases[kind] = decode_path(given) if given else library.system_path if library else None
        return bases


def _kind(item: ItemRecord) -> Kind:
    if item.match and item.match.best:
        return item.match.best.kind
    return kind_of(item.parsed) if item.parsed else "movie"


def _is_other(item: ItemRecord) -> bool:
    """True if no catalog entry is assigned; a user may have set the name manually."""
    return item.match is None or item.match.best is None


def _tokens(parts: tuple[TemplatePart, ...]) -> set[str]:
    found: set[str] = set()
    for part in parts:
        if isinstance(part, Value | Condition):
            found.add(part.token)
        if isinstance(part, Condition):
            found |= _tokens(tuple(part.parts))
    return found
