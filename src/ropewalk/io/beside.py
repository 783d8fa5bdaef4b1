"""Files that an input file of another program names: beside it, or where that program would have looked.

Case files keep to their folder (io/native.py). A file of another program is the user's own, and so are those that it
names: what is read from them is copied into the case. MoorDyn takes such names from the folder of its input or from the
one that it runs in, so a name that is not found beside the input is looked for there and in the folders above.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path, PurePosixPath, PureWindowsPath

from ropewalk.errors import InputError
from ropewalk.io.conversion import Ledger
from ropewalk.io.messages import one_line, shown

LEVELS = 4  # folders above the input that are searched


def beside(folder: Path, name: str, ledger: Ledger | None = None, line: int = 0) -> Path:
    """The file that `name` stands for; where there is none, the place beside the input where it is missing.

    folder : of the input    ledger, line : a file that lies elsewhere is noted there
    """
    if not name or not name.isprintable():
        raise InputError(f"path {shown(name)} is not a path; give one relative to the input file")
    windows = PureWindowsPath(name)  # C:x and \\host\x are refused on every system
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root:
        raise InputError(f"path {shown(name)} is absolute; give it relative to the input file")
    plain = name if "\\" not in name else windows.as_posix()
    try:
        here = folder.resolve()
        places = [here, Path.cwd().resolve(), *islice(here.parents, LEVELS)]
        for k, place in enumerate(places):
            found = (place / plain).resolve()
            if found.is_file():
                if k > 0 and ledger is not None and place != here:
                    ledger.note(
                        "converted", line, f"{shown(name)} is not beside the input; {one_line(str(found))} is read"
                    )
                return found
        return (here / plain).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle
        raise InputError(f"path {shown(name)} cannot be followed: {error}") from None
