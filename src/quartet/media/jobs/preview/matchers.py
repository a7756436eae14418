"""One matcher per title language."""

from typing import Any

import msgspec

from quartet.kernel.service import Kernel
from quartet.media.catalog.service import Catalog
from quartet.media.match.service import Matcher
from quartet.media.options.service import OptionsService
from quartet.media.options.types import Options


class _LanguageOptions(OptionsService):
    """The saved settings with another language."""

    def __init__(self, kernel: Kernel[Any], language: str) -> None:
        super().__init__(kernel)
        self._language = language

    async def current(self) -> Options:
        return msgspec.structs.replace(await super().current(), language=self._language)


class MatcherPool:
    def __init__(self, kernel: Kernel[Any], default: Matcher, *, demo: bool) -> None:
        self._kernel = kernel
        self._default = default
        self._demo = demo
        # Kept because the clients in it track the request rate.
        self._others: dict[str, Matcher] = {}

    def for_language(self, language: str | None) -> Matcher:
        if language is None:
            return self._default
        if language not in self._others:
            options = _LanguageOptions(self._kernel, language)
            catalog = Catalog(self._kernel, options, demo=self._demo)
            self._others[language] = Matcher(self._kernel, catalog, options)
        return self._others[language]
