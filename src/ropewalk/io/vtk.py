"""Results as VTK XML files for ParaView: lines, hulls and nets at every record, and a collection over time.

Format: "VTK File Formats", XML, polygonal data (.vtp) and collections (.pvd) [VTK2010]. Arrays are inline base64, each
behind its size in bytes as a 64-bit number. No VTK is needed to write them.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ropewalk.errors import InputError
from ropewalk.io.attitudes import LEVEL
from ropewalk.io.doubts import sentences
from ropewalk.io.messages import one_line
from ropewalk.io.netcdf import system_of
from ropewalk.model.arrays import Array, Ints
from ropewalk.model.bodies import hull_rings
from ropewalk.results.files import write_folder, write_whole
from ropewalk.spec.bodies import Body

if TYPE_CHECKING:
    import xarray as xr

FACETS = 32  # of a hull around its axis
TYPES = {"f": "Float64", "i": "Int64", "u": "UInt8"}
MOST_FILES = 100_000  # of a collection


@dataclass
class Piece:
    """Points with polylines and polygons on them, and numbers at the points and of the cells."""

    points: Array  # (n, 3)
    lines: list[Ints] = field(default_factory=list)
    polygons: list[Ints] = field(default_factory=list)
    at_points: dict[str, Array] = field(default_factory=dict)
    of_cells: dict[str, Any] = field(default_factory=dict)


def write_vtp(dataset: xr.Dataset, path: Path) -> list[Path]:
    """The last record of a result as one .vtp file for its lines, and others beside it for hulls and nets."""
    _check(dataset)
    written: list[Path] = []
    for kind, piece in _pieces(dataset, dataset.sizes["time"] - 1):
        target = path if not written else path.with_name(f"{path.stem}_{kind}{path.suffix}")
        write_whole(target, _remarked(polydata(piece), dataset))
        written.append(target)
    return written


def write_pvd(dataset: xr.Dataset, path: Path) -> list[Path]:
    """A result over time: a collection, and a folder beside it with a file for each kind of part and record."""
    _check(dataset)
    times = [float(t) for t in dataset["time"].values]
    folder = path.with_name(path.stem)
    if len(times) > MOST_FILES:
        raise InputError(f"{path}: {len(times)} records, each a file; at most {MOST_FILES}: record less often")
    entries = []

    def files() -> Iterator[tuple[str, str]]:
        for k, time in enumerate(times):
            for part, (kind, piece) in enumerate(_pieces(dataset, k)):
                name = f"{kind}_{k:06d}.vtp"
                file = quoteattr(f"{folder.name}/{name}")
                entries.append(f'    <DataSet timestep="{time!r}" part="{part}" name={quoteattr(kind)} file={file}/>\n')
                yield name, polydata(piece)

    write_folder(folder, files())
    head = (
        '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n  <Collection>\n'
    )
    write_whole(path, _remarked(head + "".join(entries) + "  </Collection>\n</VTKFile>\n", dataset))
    return [path, folder]


def _remarked(text: str, dataset: xr.Dataset) -> str:
    """A file with the doubts of the result as comments behind its first line."""
    first, _, rest = text.partition("\n")
    remarks = [f"<!-- {re.sub('-(?=-)', '- ', one_line(sentence))} -->\n" for sentence in sentences(dataset)]
    return f"{first}\n{''.join(remarks)}{rest}"


def _check(dataset: xr.Dataset) -> None:
    if "time" not in dataset.dims or dataset.sizes["time"] == 0:
        raise InputError("the result has no records over time; VTK files hold those of static and run")
    if not {"position", "net_position", "body_position"} & set(dataset.variables):
        raise InputError("the result has no lines, nets or bodies to draw")


# --- what is drawn ---


def _pieces(dataset: xr.Dataset, k: int) -> Iterator[tuple[str, Piece]]:
    if "position" in dataset and dataset.sizes.get("node", 0):
        yield "lines", _lines(dataset, k)
    if dataset.sizes.get("body", 0) and "body_position" in dataset:
        yield "bodies", _bodies(dataset, k)
    if dataset.sizes.get("knot", 0) and "net_position" in dataset:
        yield "nets", _nets(dataset, k)


def _lines(dataset: xr.Dataset, k: int) -> Piece:
    names = dataset["node_line"].values
    starts = np.flatnonzero(np.r_[True, names[1:] != names[:-1]])
    runs = [np.arange(a, b) for a, b in zip(starts, np.r_[starts[1:], names.size], strict=True)]
    at_points = {"s": dataset["s"].values}
    for name in ("tension", "velocity"):
        if name in dataset and "node" in dataset[name].dims:
            at_points[name] = dataset[name].isel(time=k).values
    points = dataset["position"].isel(time=k).values
    return Piece(points, runs, at_points=at_points, of_cells={"line": np.arange(len(runs))})


def _bodies(dataset: xr.Dataset, k: int) -> Piece:
    """Surfaces of hulls where the bodies are; a body without a hull is a cross at its origin and attachments."""
    bodies = system_of(dataset).bodies
    points: list[Array] = []
    lines: list[Ints] = []
    polygons: list[Ints] = []
    of_lines, of_polygons, count = [], [], 0
    for i, name in enumerate(str(label) for label in dataset["body"].values):
        surface, faces, edges = _surface(bodies[name])
        place = dataset["body_position"].isel(time=k, body=i).values
        turned = surface @ rotation_matrix(dataset["body_quaternion"].isel(time=k, body=i).values).T + place
        points.append(turned)
        lines += [edge + count for edge in edges]
        polygons += [face + count for face in faces]
        of_lines += [i] * len(edges)
        of_polygons += [i] * len(faces)
        count += len(surface)
    return Piece(np.concatenate(points), lines, polygons, of_cells={"body": np.array([*of_lines, *of_polygons])})


def _surface(body: Body) -> tuple[Array, list[Ints], list[Ints]]:
    """Points, polygons and lines of a body in its own frame."""
    if body.all_hulls:
        surfaces = [_skin(hull_rings(hull, FACETS)) for hull in body.all_hulls]
        first = np.cumsum([0, *(len(points) for points, _ in surfaces)])
        faces = [face + start for (_, own), start in zip(surfaces, first, strict=False) for face in own]
        return np.concatenate([points for points, _ in surfaces]), faces, []
    places = [np.array(place, dtype=float) for place in body.attachments.values()]
    points = np.array([np.zeros(3), *places])
    return points, [], [np.array([0, i + 1]) for i in range(len(places))]


def _skin(rings: Array) -> tuple[Array, list[Ints]]:
    """Points of the sections (k, FACETS, 3) of a hull, and the quadrangles between them, closed by lids."""
    faces: list[Ints] = []
    for i in range(len(rings) - 1):
        a = i * FACETS + np.arange(FACETS)
        b = i * FACETS + (np.arange(FACETS) + 1) % FACETS
        faces += list(np.column_stack([a, b, b + FACETS, a + FACETS]))
    last = (len(rings) - 1) * FACETS
    for start, ring in ((0, rings[0]), (last, rings[-1])):
        if np.ptp(ring, axis=0).max() > 2.0 * LEVEL:
            lid = start + np.arange(FACETS)
            faces.append(lid[::-1] if start == 0 else lid)
    return rings.reshape(-1, 3), faces


def rotation_matrix(q: Array) -> Array:
    """Rotation matrix of a quaternion, scalar first."""
    w, x, y, z = (float(c) for c in q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _nets(dataset: xr.Dataset, k: int) -> Piece:
    bars = np.column_stack([dataset["twine_a"].values, dataset["twine_b"].values]).astype(np.int64)
    labels = {str(name): i for i, name in enumerate(dataset["net"].values)}
    of_cells: dict[str, Array] = {"net": np.array([labels[str(n)] for n in dataset["twine_net"].values])}
    if "net_tension" in dataset:
        of_cells["tension"] = dataset["net_tension"].isel(time=k).values
    return Piece(dataset["net_position"].isel(time=k).values, list(bars), of_cells=of_cells)


# --- XML ---


def polydata(piece: Piece) -> str:
    """A .vtp file of one piece."""
    counts = f'NumberOfPoints="{len(piece.points)}" NumberOfVerts="0" NumberOfLines="{len(piece.lines)}"'
    rows = [
        '<?xml version="1.0"?>',
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        "  <PolyData>",
        f'    <Piece {counts} NumberOfStrips="0" NumberOfPolys="{len(piece.polygons)}">',
        "      <PointData>",
        *(_array(name, values) for name, values in piece.at_points.items()),
        "      </PointData>",
        "      <CellData>",
        *(_array(name, values) for name, values in piece.of_cells.items()),
        "      </CellData>",
        "      <Points>",
        _array("Points", piece.points),
        "      </Points>",
        *_cells("Lines", piece.lines),
        *_cells("Polys", piece.polygons),
        "    </Piece>",
        "  </PolyData>",
        "</VTKFile>",
    ]
    return "\n".join(rows) + "\n"


def _cells(tag: str, cells: list[Ints]) -> Iterator[str]:
    connectivity = np.concatenate(cells) if cells else np.zeros(0, dtype=np.int64)
    offsets = np.cumsum([len(cell) for cell in cells], dtype=np.int64) if cells else np.zeros(0, dtype=np.int64)
    yield f"      <{tag}>"
    yield _array("connectivity", connectivity)
    yield _array("offsets", offsets)
    yield f"      </{tag}>"


def _array(name: str, values: Array | Ints) -> str:
    """A DataArray: base64 of the size in bytes and the numbers, little endian."""
    data = np.asarray(values)
    data = data.astype("<f8" if data.dtype.kind == "f" else "<i8")
    components = f' NumberOfComponents="{data.shape[1]}"' if data.ndim > 1 else ""
    raw = np.ascontiguousarray(data).tobytes()
    text = base64.b64encode(np.array([len(raw)], dtype="<u8").tobytes() + raw).decode("ascii")
    kind = TYPES[data.dtype.kind]
    return f'        <DataArray type="{kind}" Name={quoteattr(name)}{components} format="binary">{text}</DataArray>'
