"""Results as NetCDF-4 files: writing, opening, and saving what a killed run left."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ropewalk.errors import ConvergenceError, InputError, OutputError
from ropewalk.io.probe import MOST_SECONDS, survives
from ropewalk.io.seal import is_whole, seal
from ropewalk.io.sink import Sink
from ropewalk.results.complex_parts import has_parts, join_complex, split_complex
from ropewalk.results.files import whole, write_all
from ropewalk.results.schema import DONE, VARIABLES
from ropewalk.results.segments import RunFolder, RunReader, part_folder

if TYPE_CHECKING:
    import xarray as xr

    from ropewalk.results.layout import Layout
    from ropewalk.spec.system import System

ENGINE: Literal["h5netcdf"] = "h5netcdf"
PART = ".part"
MOST_BYTES = 1e9  # that a file may declare whatever its size
MOST_RATIO = 100  # of what a larger one declares to its size: results are not compressed
COPIED_BYTES = 1 << 24  # at a time


def write(dataset: xr.Dataset, path: str | os.PathLike[str]) -> None:
    """Write a result that is in memory; the file appears whole or not at all."""
    from xarray.backends import H5NetCDFStore

    with _file(Path(path)) as file:
        split_complex(dataset).dump_to_store(H5NetCDFStore(file))


def open_results(path: str | os.PathLike[str]) -> xr.Dataset:
    """Open a result; numbers are read when used. Close it, or use it in a `with`."""
    import h5py
    import xarray as xr

    path = Path(path)
    if not path.is_file():
        part = path.with_name(path.name + PART)
        hint = f"; {part} contains a stopped run: 'ropewalk recover {part}' turns it into a file" * part.is_dir()
        raise InputError(f"{path} does not exist{hint}")
    is_sound = is_whole(path)
    if is_sound is False:
        raise InputError(f"{path} is damaged: its checksum does not match; compute it again")
    if is_sound is None and not survives(path):
        raise InputError(f"{path} is damaged: it cannot be read in {MOST_SECONDS} s; compute it again")
    try:
        with h5py.File(path, "r") as file:  # h5netcdf closes again what it could not open, as an error of its own
            len(file.attrs), len(file)
        found = xr.open_dataset(path, engine=ENGINE)
    except Exception:  # damaged bytes lead HDF5 and its readers to errors of any kind
        raise InputError(f"{path} is not a NetCDF-4 file, or is damaged") from None
    declared = sum(variable.nbytes for variable in found.variables.values())
    if declared > MOST_BYTES and declared > MOST_RATIO * path.stat().st_size:
        found.close()
        raise InputError(
            f"{path} declares {1e-9 * declared:.3g} GB of numbers but is {1e-6 * path.stat().st_size:.3g} MB long; it "
            "is damaged, or was assembled by hand"
        )
    if is_outdated(found):
        version = found.attrs.get("version", "unknown")
        found.close()
        raise InputError(
            f"{path} was written by ropewalk {version} with names of variables that this version does not read "
            "(ends of lines along 'end', not 'line' and 'end'); run its case again"
        )
    if not has_parts(found):
        return found
    with found:
        return join_complex(found.load())


def is_outdated(dataset: xr.Dataset) -> bool:
    """Whether a result names lines as versions before 0.2 did: `line` of a node, `end_line` of an end, `rope`."""
    if {"end_line", "rope"} & set(map(str, dataset.variables)):
        return True
    return "line" in dataset.variables and dataset["line"].dims == ("node",)


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[xr.Dataset]:
    """A result that is open while it is used.

    Where something fails on the way, the file is looked through, and InputError gives what is wrong with it; an error
    over a file without fault is passed on as it is.
    """
    with open_results(path) as dataset:
        try:
            yield dataset
        except (InputError, OutputError, ConvergenceError):
            raise
        except Exception:
            if fault := _fault(dataset):
                raise InputError(f"{path} is damaged: {fault}; compute it again") from None
            raise


def _fault(dataset: xr.Dataset) -> str:
    from ropewalk.io.damage import fault_of

    try:
        return fault_of(dataset)
    except Exception as error:  # as above
        return f"it cannot be read through ({type(error).__name__})"


def system_of(dataset: xr.Dataset) -> System:
    """The case that a result was computed from."""
    from ropewalk.spec.system import System

    try:
        return System.model_validate_json(dataset.attrs["system"])
    except KeyError:
        raise InputError("the result does not contain its case: attribute 'system' is missing") from None
    except InputError as error:
        raise InputError(f"the case in the result is not one that this version reads: {error}") from None


def write_records(reader: RunReader, path: str | os.PathLike[str], attrs: Mapping[str, str] | None = None) -> None:
    """Turn the records of a run into a file, a bounded number at a time; same content as `write` of a Dataset.

    attrs : of the file; unless given, those of a run that is done
    """
    path = Path(path)
    # in the run's own folder where possible: should this be killed too, nothing is left lying about
    folder = reader.path if path.parent.absolute() == reader.path.parent.absolute() else path.parent
    way_out = f"make room, then 'ropewalk recover {reader.path}' makes the file of its records"
    with _file(path, folder, way_out=way_out) as file:
        file.attrs.update(attrs or {**reader.attrs, "status": DONE})
        _declare(file, reader.layout, reader.rows)
        for first, rows in reader.blocks():
            for column in reader.layout.columns:
                file[column.name][first : first + len(rows)] = column.of(rows)


@dataclass(frozen=True)
class Recovery:
    """What `recover` saved."""

    path: Path
    rows: int
    time: float  # of the last record, s
    trouble: str  # a sentence if records were dropped, else empty


def add_attributes(path: str | os.PathLike[str], attrs: Mapping[str, str]) -> None:
    """Add attributes to a finished result: to a copy that takes its place, so that a kill cannot damage it."""
    with _file(Path(path), copied=True) as file:
        file.attrs.update(attrs)


def recover(source: str | os.PathLike[str], output: str | os.PathLike[str] | None = None) -> Recovery:
    """Turn what a killed run left into a file, up to its last whole record; the folder stays as it is.

    source : the folder FILE.nc.part, or FILE.nc    output : by default FILE.nc, which must not be there yet
    """
    source = Path(source)
    target = source.with_suffix("") if source.suffix == PART else source
    if not target.name:
        raise InputError(
            f"{source} does not belong to a stopped run; give its result file, or the folder FILE.nc{PART}"
        )
    if not part_folder(target).is_dir():
        raise InputError(f"{part_folder(target)} does not exist: no stopped run has left anything to recover")
    path = target if output is None else Path(output)
    if path.exists():
        raise InputError(f"{path} exists; give another output")
    folder = RunFolder.open(target)
    try:
        reader = RunReader(folder.path)
        if reader.rows == 0:
            raise InputError(f"{folder.path} contains no complete record; there is nothing to recover")
        time = reader.last_time
        status = f"recovered: the run was stopped after t = {time:g} s"
        status = f"{status}; {reader.trouble}" if reader.trouble else status
        write_records(reader, path, {**reader.attrs, "status": status})
    finally:
        folder.close()
    return Recovery(path, reader.rows, time, reader.trouble)


def _declare(file: Any, layout: Layout, rows: int) -> None:
    """Dimensions, variables and coordinates of a file."""
    import h5py

    used = {dim for column in layout.columns for dim in column.dims}
    file.dimensions = {"time": rows, **{dim: n for dim, n in layout.sizes.items() if dim in used}}
    beside: dict[str, str] = {}  # per dimension, the coordinates that do not have its name
    for name, (dims, values) in layout.coordinates.items():
        array = np.array(values, dtype=object) if isinstance(values[0], str) else np.array(values)
        variable = file.create_variable(name, dims, h5py.string_dtype() if array.dtype == object else array.dtype)
        variable[...] = array
        variable.attrs.update(VARIABLES[name].attrs)
        if name not in dims:
            beside[dims[0]] = f"{beside[dims[0]]} {name}" if dims[0] in beside else name
    for column in layout.columns:
        variable = file.create_variable(column.name, column.dims, "f8")
        variable.attrs.update(VARIABLES[column.name].attrs)
        coordinates = " ".join(beside[dim] for dim in column.dims if dim in beside)
        if coordinates:
            variable.attrs["coordinates"] = coordinates


@contextmanager
def _file(path: Path, folder: Path | None = None, *, copied: bool = False, way_out: str = "") -> Iterator[Any]:
    """An h5netcdf file that takes the place of `path` if all went well; a copy of that to change, or a new one.

    folder : where it is written meanwhile; that of `path` unless given    way_out : if there is no room
    """
    import h5netcdf

    with whole(path, folder, way_out) as descriptor:
        if copied:
            with path.open("rb") as before:
                while block := before.read(COPIED_BYTES):
                    write_all(descriptor, block)
        sink = Sink(descriptor)
        try:
            with h5netcdf.File(sink, "r+" if copied else "w") as file:
                yield file
        except Exception:
            sink.settle()  # the error of the failed write itself, more precise than what HDF5 made of it
            raise
        sink.settle()
        seal(descriptor)
