"""Public faces of the packages: names that load their module at first use.

Each package of a method lists in its ``__init__.py`` what others may use of it, and nothing outside imports from its
inside. A module is loaded when one of its names is looked up, so that statics by closed forms loads no element.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def face(package: str, names: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package.  names : public ones, by the module in which they stand"""
    homes = {name: module for module, own in names.items() for name in own}

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return look_up
