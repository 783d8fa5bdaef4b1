"""Short kernels that Python calls again and again, without the look at the types of their arguments at each call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from ropewalk.numerics.compile import entry_point


class Entry:
    """A kernel whose arguments have the same types at every call: they are looked at in the first one only.

    Of nested tuples of arrays that look takes as long as the work on a small case. Arrays must be contiguous and of the
    dimension that they had at first; nothing checks that. Types may differ between variants: ``variant`` of the first
    argument is one value for each combination of types.
    """

    def __init__(self, function: Any, variant: Callable[[Any], Hashable] | None = None) -> None:
        self._function, self._variant = function, variant
        self._codes: dict[Hashable, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        key = None if self._variant is None else self._variant(arguments[0])
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = entry_point(self._function, *arguments)
        return code(*arguments)
