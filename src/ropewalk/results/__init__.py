"""What is kept: the variables of a result, and how states become one. Needs no compiler."""

from ropewalk.results.checkpoint import Checkpoint, Resumable, Snapshot
from ropewalk.results.record import NotFiniteError, Recorder, dataset_of
from ropewalk.results.schema import DIMENSIONS, VARIABLES, Variable
from ropewalk.results.segments import RunFolder, RunReader, part_folder

__all__ = [
    "DIMENSIONS",
    "VARIABLES",
    "Checkpoint",
    "NotFiniteError",
    "Recorder",
    "Resumable",
    "RunFolder",
    "RunReader",
    "Snapshot",
    "Variable",
    "dataset_of",
    "part_folder",
]
