"""SIGTERM, the notice that batch systems give before they kill: long work ends as by Ctrl-C, with what it has."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Notice:
    """Whether a signal to end has arrived, and whether the work under way checks for it by itself."""

    is_given: bool = False
    is_watched: bool = False


@contextmanager
def termination() -> Iterator[Notice]:
    """While inside, SIGTERM raises KeyboardInterrupt; where the notice is watched, only the second one does.

    Only in the main thread; in others the signal acts as it did.
    """
    notice = Notice()
    if threading.current_thread() is not threading.main_thread():
        yield notice
        return

    def told(number: int, frame: Any) -> None:
        at_once = notice.is_given or not notice.is_watched
        notice.is_given = True
        if at_once:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, told)
    try:
        yield notice
    finally:
        signal.signal(signal.SIGTERM, before)
