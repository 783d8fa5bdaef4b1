"""Many load cases: what they are (expand), where they run (local, dask), and what came of them (journal, result).

`rw.sweep` is both this package and the function of that name, so the package can be called.

>>> import ropewalk as rw
>>> rw.sweep("mooring.yaml", {"environment.depth": [100.0]}, do="static", jobs=1).sizes["case"]
1
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """`ropewalk.sweep.run.sweep`."""
        from ropewalk.sweep.run import sweep

        return sweep(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
