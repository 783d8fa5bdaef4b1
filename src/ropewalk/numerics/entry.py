"""Short kernels that Python calls again and again, without the look at the types of their arguments at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ropewalk.numerics.compile import entry_point


class Entry:
    """A kernel whose arguments have the same types at every call: they are looked at in the first one only.

    Of nested tuples of arrays that look takes as long as the work on a small case. Arrays must be contiguous and of the
    dimension that they had at first; nothing checks that.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._code: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        if self._code is None:
            self._code = entry_point(self._function, *arguments)
        return self._code(*arguments)
