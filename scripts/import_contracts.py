"""An import-linter contract for libraries that only some modules may import.

import-linter's own contracts accept no patterns such as `store_*`, so each file would have to be
listed.
"""

from fnmatch import fnmatch

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class LibraryContract(Contract):
    """Allows direct imports of a library only in the listed modules.

    `allowed_names` are patterns for the name of a module or of a package that contains it, and
    `allowed_modules` are full names.
    """

    type_name = "library"

    library = fields.StringField()
    allowed_names = fields.ListField(subfield=fields.StringField())
    allowed_modules = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        importers = graph.find_modules_that_directly_import(str(self.library))
        illegal = sorted(module for module in importers if not self._allows(module))
        return ContractCheck(kept=not illegal, metadata={"illegal": illegal})

    def _allows(self, module: str) -> bool:
        allowed: list[str] = self.allowed_modules  # type: ignore[assignment]
        if any(module == each or module.startswith(f"{each}.") for each in allowed):
            return True
        patterns: list[str] = self.allowed_names  # type: ignore[assignment]
        return any(fnmatch(part, pattern) for part in module.split(".") for pattern in patterns)

    def render_broken_contract(self, check: ContractCheck) -> None:
        for module in check.metadata["illegal"]:
            output.print_error(f"- {module} must not import {self.library}", bold=False)
