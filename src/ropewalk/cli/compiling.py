"""A word before the first wait."""

from __future__ import annotations

import os
import sys

from ropewalk.cli.tables import say


def tell_first_use() -> None:
    """On a terminal, say that kernels are about to be compiled where none are kept yet."""
    if not sys.stderr.isatty() or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    from ropewalk.numerics.kernel_cache import cache_folder

    folder = cache_folder()
    if not folder.is_dir() or not any(folder.iterdir()):
        say(f"first use: kernels are compiled, which takes one to three minutes, and kept in {folder}", err=True)
