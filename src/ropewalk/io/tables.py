"""Results as tables: CSV, Excel and Parquet, one row for each record (or frequency, mode, case).

Columns are named by variable and labels, with the unit: `end_tension west B (N)`. Numbers at nodes are left to VTK
files.
Text that a spreadsheet would take for a formula is kept from being one [OWASP2020].
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.doubts import sentences
from ropewalk.results.files import whole, write_whole

if TYPE_CHECKING:
    import xarray as xr

ROWS_BY = ("time", "frequency", "mode", "case")  # the dimension that rows go along: the first that a result has
TOO_MANY = frozenset({"node", "knot", "twine", "state", "state_from", "input", "output"})  # dimensions left to others
FORMULA = ("=", "+", "-", "@")  # what a cell must not begin with, blanks apart: spreadsheets would compute it
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384  # of a sheet
LONGEST_TITLE = 31  # characters of the name of a sheet


def safe(text: str) -> str:
    """Text for a cell, on one line: one that a spreadsheet would take for a formula gets an apostrophe before it."""
    line = "".join(c if c.isprintable() else " " for c in text)
    return f"'{line}" if line.lstrip().startswith(FORMULA) else line


def columns_of(dataset: xr.Dataset) -> Iterator[tuple[str, str, Any]]:
    """Group, name and values of every column; the first is what rows go along."""
    along = next((name for name in ROWS_BY if name in dataset.dims), None)
    if along is None:
        raise InputError(f"the result has none of {', '.join(ROWS_BY)} to make rows of")
    index: Any = dataset[along].values if along in dataset.coords else np.arange(dataset.sizes[along])
    yield "", _named(dataset, along, along, ()), index
    for name, variable in dataset.variables.items():
        text, others = str(name), [str(dim) for dim in variable.dims if dim != along]
        if text == along or along not in variable.dims or set(others) & TOO_MANY:
            continue
        values: Any = variable.transpose(along, *others).values
        labels = [_labels(dataset, dim) for dim in others]
        for place in product(*(range(len(label)) for label in labels)):
            words = tuple(label[k] for label, k in zip(labels, place, strict=True))
            yield _group(others), _named(dataset, text, text, words), values[(slice(None), *place)]


def _named(dataset: xr.Dataset, name: str, shown: str, words: Sequence[str]) -> str:
    unit = str(dataset[name].attrs.get("units", "")) if name in dataset.variables else ""
    tail = f" ({unit})" if unit and unit != "1" else ""
    return safe(" ".join((shown, *words)) + tail)


def _labels(dataset: xr.Dataset, dim: str) -> list[str]:
    if dim in dataset.coords:
        return [str(label) for label in dataset[dim].values]
    return [str(k) for k in range(dataset.sizes[dim])]


def _group(dims: Sequence[str]) -> str:
    """The sheet that a column belongs to: that of its kind of part."""
    kinds = {"line": "lines", "body": "bodies", "point": "points", "link": "links", "net": "nets"}
    return next((sheet for dim, sheet in kinds.items() if dim in dims), "sea and energy")


def write_csv(dataset: xr.Dataset, path: Path) -> list[Path]:
    """All columns in one file; numbers in full."""
    columns = list(columns_of(dataset))
    with whole(path) as descriptor, os.fdopen(descriptor, "w", encoding="utf-8", newline="", closefd=False) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([name for _, name, _ in columns])
        writer.writerows(zip(*([_cell(value) for value in values] for _, _, values in columns), strict=True))
    return [path]


def _cell(value: Any) -> Any:
    """A number as it is; text so that it is no formula; nothing for NaN."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return None if number != number else number + 0.0  # no -0.0
    return safe(str(value))


def write_excel(dataset: xr.Dataset, path: Path) -> list[Path]:
    """A sheet for each kind of part, and one about the result."""
    try:
        from openpyxl import Workbook
    except ImportError:
        raise InputError("Excel files need openpyxl: pip install 'ropewalk[excel]'") from None
    columns = list(columns_of(dataset))
    if len(columns[0][2]) >= MOST_ROWS:
        raise InputError(f"{path}: {len(columns[0][2])} records; a sheet has {MOST_ROWS} rows: write .csv or .parquet")
    sheets: dict[str, list[tuple[str, Any]]] = {}
    for group, name, values in columns[1:]:
        sheets.setdefault(group, []).append((name, values))
    book = Workbook(write_only=True)
    about = book.create_sheet("about")
    for key in ("title", "created_by", "version", "status", "created"):
        if key in dataset.attrs:
            about.append([_text(about, key), _text(about, str(dataset.attrs[key]))])
    for sentence in sentences(dataset):
        code, _, said = sentence.partition(": ")
        about.append([_text(about, code), _text(about, said)])
    for group, members in sheets.items():
        if len(members) >= MOST_COLUMNS:
            raise InputError(f"{path}: {len(members)} columns of {group}; a sheet has {MOST_COLUMNS}: write .parquet")
        sheet = book.create_sheet(group[:LONGEST_TITLE])
        sheet.append([_text(sheet, columns[0][1]), *(_text(sheet, name) for name, _ in members)])
        series = [columns[0][2], *(values for _, values in members)]
        for row in zip(*series, strict=True):
            sheet.append([_text(sheet, c) if isinstance(c := _cell(value), str) else c for value in row])
    data = BytesIO()
    book.save(data)
    write_whole(path, data.getvalue())
    return [path]


def _text(sheet: Any, text: str) -> Any:
    """A cell that holds text whatever it begins with."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    cell = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", safe(text)))
    cell.data_type = "s"
    return cell


def write_parquet(dataset: xr.Dataset, path: Path) -> list[Path]:
    """All columns in one table."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError(
            "Parquet files need pyarrow, which no extra of ropewalk installs: pip install pyarrow"
        ) from None
    data = {
        name: values if values.dtype.kind in "fiub" else values.astype(str) for _, name, values in columns_of(dataset)
    }
    stream = BytesIO()
    table = pyarrow.table(data)
    parquet.write_table(table.replace_schema_metadata({"doubts": "\n".join(sentences(dataset))}), stream)
    write_whole(path, stream.getvalue())
    return [path]
