"""A matcher for each language a job may want its titles in."""

from typing import Any

import msgspec

from quartet.kernel.service import Kernel
from quartet.media.catalog.service import Catalog
from quartet.media.match.service import Matcher
from quartet.media.options.service import OptionsService
from quartet.media.options.types import Options


class _Speaking(OptionsService):
    """The settings, but for the language."""

    def __init__(self, kernel: Kernel[Any], language: str) -> None:
        super().__init__(kernel)
        self._language = language

    async def current(self) -> Options:
        return msgspec.structs.replace(await super().current(), language=self._language)


class Matchers:
    def __init__(self, kernel: Kernel[Any], usual: Matcher, *, demo: bool) -> None:
        self._kernel = kernel
        self._usual = usual
        self._demo = demo
        # Kept, because a catalog knows when it was asked last.
        self._others: dict[str, Matcher] = {}

    def speaking(self, language: str | None) -> Matcher:
        if language is None:
            return self._usual
        if language not in self._others:
            options = _Speaking(self._kernel, language)
            catalog = Catalog(self._kernel, options, demo=self._demo)
            self._others[language] = Matcher(self._kernel, catalog, options)
        return self._others[language]
