"""`.rw` on Datasets as soon as there are Datasets: now if xarray is loaded, else right after it is.

`import ropewalk` loads neither xarray nor anything else of weight, and a result that xarray opens by itself has the
accessor all the same.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

WATCHED = "xarray"


class AfterXarray(MetaPathFinder):
    """Finds nothing itself; registers the accessor when xarray has been loaded, once."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the other finders give for xarray, with the registration after its code."""
        if fullname != WATCHED:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                _register()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def watch() -> None:
    """Register now, or when xarray is loaded."""
    if hasattr(sys.modules.get(WATCHED), "register_dataset_accessor"):
        _register()
    elif not any(isinstance(finder, AfterXarray) for finder in sys.meta_path):
        sys.meta_path.insert(0, AfterXarray())


def _register() -> None:
    import_module("ropewalk.notebook.accessor").register()  # stands above; looked up when needed
