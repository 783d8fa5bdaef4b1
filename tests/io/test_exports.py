"""Results as VTK files, tables and MoorDyn's output, read back by others."""

from __future__ import annotations

import base64
import csv
import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import meshio
import numpy as np
import openpyxl
import pytest
import xarray as xr

import ropewalk as rw
from reference import spar
from ropewalk.errors import InputError
from ropewalk.io.moordyn_channels import write_out
from ropewalk.io.tables import safe, write_csv, write_excel, write_parquet
from ropewalk.io.vtk import write_pvd, write_vtp

WORDS = ("=1+1", "+1", "-cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1")


@pytest.fixture(scope="module")
def result() -> xr.Dataset:
    """A spar on three lines: its equilibrium, kept at three times, turned a little at the last."""
    still = rw.statics(spar().replace(title="=HYPERLINK(1)")).to_dataset()
    parts = [still.assign_coords(time=[t]) for t in (0.0, 0.5, 1.0)]
    whole = xr.concat(parts, "time", data_vars="minimal", combine_attrs="override")
    whole["time"].attrs.update(still["time"].attrs)
    turned = np.array(whole["body_quaternion"].values)
    turned[2, 0] = [math.cos(0.1), 0.0, math.sin(0.1), 0.0]
    whole["body_quaternion"] = (whole["body_quaternion"].dims, turned)
    return whole


def arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a .vtp file by section and name, decoded here."""
    found = {}
    for section in ElementTree.parse(path).getroot().find("PolyData/Piece"):
        for entry in section:
            raw = base64.b64decode(entry.text)
            assert int.from_bytes(raw[:8], "little") == len(raw) - 8
            values = np.frombuffer(raw[8:], {"Float64": "<f8", "Int64": "<i8"}[entry.get("type")])
            width = int(entry.get("NumberOfComponents", "1"))
            found[f"{section.tag} {entry.get('Name')}"] = values.reshape(-1, width) if width > 1 else values
    return found


def test_vtp_holds_lines_with_their_tensions(result: xr.Dataset, tmp_path: Path) -> None:
    write_vtp(result, tmp_path / "moor.vtp")
    got = arrays(tmp_path / "moor.vtp")
    np.testing.assert_array_equal(got["Points Points"], result["position"].values[-1])
    np.testing.assert_array_equal(got["PointData tension"], result["tension"].values[-1])
    assert list(np.diff([0, *got["Lines offsets"]])) == [
        int((result["node_line"] == n).sum()) for n in result["line"].values
    ]
    np.testing.assert_array_equal(got["Lines connectivity"], np.arange(result.sizes["node"]))


def test_hulls_are_where_the_bodies_are(result: xr.Dataset, tmp_path: Path) -> None:
    """Every point of the hull is its profile's, turned and moved; lids close it."""
    write_vtp(result, tmp_path / "moor.vtp")
    got = arrays(tmp_path / "moor_bodies.vtp")
    place, angle = result["body_position"].values[-1, 0], 0.2
    back = np.array([[math.cos(angle), 0, -math.sin(angle)], [0, 1, 0], [math.sin(angle), 0, math.cos(angle)]])
    local = (got["Points Points"] - place) @ back.T
    profile = spar().bodies["platform"].hull.profile
    rings = {(round(float(z), 9), round(float(math.hypot(x, y)), 9)) for x, y, z in local}
    assert rings == {(float(z), float(r)) for z, r in profile}
    assert len(got["CellData body"]) == 3 * 32 + 2


def test_meshio_reads_the_arrays(result: xr.Dataset, tmp_path: Path) -> None:
    """meshio reads no .vtp; with the cells of its lines as segments of a .vtu it decodes the same arrays."""
    write_vtp(result, tmp_path / "moor.vtp")
    text = (tmp_path / "moor.vtp").read_text()
    n = result.sizes["node"]
    cells = "".join(
        f'<DataArray type="Int64" Name="{name}" format="ascii">{" ".join(map(str, values))}</DataArray>'
        for name, values in (("connectivity", np.column_stack([np.arange(n - 1), np.arange(1, n)]).ravel()),
                             ("offsets", 2 * np.arange(1, n)), ("types", np.full(n - 1, 3)))
    )  # fmt: skip
    head, _, rest = text.partition("      <CellData>")
    points = rest[rest.index("      <Points>") : rest.index("      <Lines>")]
    body = (head + points).replace("PolyData", "UnstructuredGrid")
    start, end = body.index("<Piece"), body.index(">", body.index("<Piece"))
    body = body[:start] + f'<Piece NumberOfPoints="{n}" NumberOfCells="{n - 1}"' + body[end:]
    vtu = f"{body}<Cells>{cells}</Cells></Piece></UnstructuredGrid></VTKFile>"
    (tmp_path / "moor.vtu").write_text(vtu)
    mesh = meshio.read(tmp_path / "moor.vtu")
    np.testing.assert_array_equal(mesh.points, result["position"].values[-1])
    np.testing.assert_array_equal(mesh.point_data["tension"], result["tension"].values[-1])


def test_pvd_lists_every_record_and_part(result: xr.Dataset, tmp_path: Path) -> None:
    write_pvd(result, tmp_path / "run.pvd")
    entries = ElementTree.parse(tmp_path / "run.pvd").getroot().findall("Collection/DataSet")
    assert [(float(e.get("timestep")), int(e.get("part"))) for e in entries] == [
        (t, part) for t in (0.0, 0.5, 1.0) for part in (0, 1)
    ]
    for entry in entries:
        assert arrays(tmp_path / entry.get("file"))


def test_csv_has_a_column_for_every_end_body_and_point(result: xr.Dataset, tmp_path: Path) -> None:
    write_csv(result, tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["time (s)"]) for row in rows] == [0.0, 0.5, 1.0]
    expected = result["end_tension"].sel(line="line2", end="B").values
    np.testing.assert_array_equal([float(row["end_tension line2 B (N)"]) for row in rows], expected)
    assert "body_position platform z (m)" in rows[0]
    assert not any(name.startswith("position") for name in rows[0])


def test_excel_has_a_sheet_for_each_kind_of_part(result: xr.Dataset, tmp_path: Path) -> None:
    write_excel(result, tmp_path / "run.xlsx")
    book = openpyxl.load_workbook(tmp_path / "run.xlsx")
    assert {"about", "lines", "bodies", "points", "sea and energy"} <= set(book.sheetnames)
    rows = list(book["lines"].values)
    column = rows[0].index("end_tension line1 A (N)")
    np.testing.assert_array_equal([row[column] for row in rows[1:]], result["end_tension"].values[:, 0, 0])
    about = dict(book["about"].values)
    assert about["title"] == "'=HYPERLINK(1)"
    assert all(cell.data_type != "f" for sheet in book for row in sheet.iter_rows() for cell in row)


@pytest.mark.parametrize("word", WORDS)
def test_text_that_would_be_a_formula_is_kept_from_being_one(word: str, result: xr.Dataset, tmp_path: Path) -> None:
    assert safe(word) == f"'{word}".replace("\t", " ").replace("\r", " ")
    evil = result.assign_coords(line=[word, "b", "c"]).assign({word: ("time", np.array([word] * 3))})
    write_csv(evil, tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as stream:
        for row in csv.reader(stream):
            for cell in row:
                assert not cell.startswith(("=", "+", "@", "\t", "\r"))
                assert not cell.startswith("-") or float(cell) < 0.0
    write_excel(evil, tmp_path / "run.xlsx")
    book = openpyxl.load_workbook(tmp_path / "run.xlsx")
    assert all(cell.data_type != "f" for sheet in book for row in sheet.iter_rows() for cell in row)


def test_parquet_holds_the_same_columns(result: xr.Dataset, tmp_path: Path) -> None:
    try:
        from pyarrow import parquet
    except ImportError:
        with pytest.raises(InputError, match="pip install pyarrow"):
            write_parquet(result, tmp_path / "run.parquet")
        return
    write_parquet(result, tmp_path / "run.parquet")
    table = parquet.read_table(tmp_path / "run.parquet")
    expected = result["end_tension"].sel(line="line2", end="B").values
    np.testing.assert_array_equal(table["end_tension line2 B (N)"].to_numpy(), expected)


def test_out_file_has_the_channels_of_moordyn(result: xr.Dataset, tmp_path: Path) -> None:
    write_out(result, tmp_path / "run.out")
    lines = (tmp_path / "run.out").read_text().splitlines()
    names, units = lines[0].split(), lines[1].split()
    assert names[:7] == ["Time", "FAIRTEN1", "ANCHTEN1", "FAIRTEN2", "ANCHTEN2", "FAIRTEN3", "ANCHTEN3"]
    assert units[:2] == ["(s)", "(N)"]
    last = dict(zip(names, map(float, lines[-1].split()), strict=True))
    # seven decimals are written
    assert last["FAIRTEN1"] == pytest.approx(float(result["end_tension"].values[-1, 0, 1]), rel=1e-7)
    assert last["BODY1RY"] == pytest.approx(math.degrees(0.2), rel=1e-7)
    assert last["BODY1PZ"] == pytest.approx(float(result["body_position"].values[-1, 0, 2]), abs=1e-7)


def test_files_that_can_hold_them_hold_the_doubts(result: xr.Dataset, tmp_path: Path) -> None:
    """As comments and rows, whatever their sentences hold; a list that cannot be read is a doubt itself."""
    told = [{"code": "slack", "part": "a", "value": 0.0, "limit": 1.0, "sentence": "a --> b ---- \ud800\n<x>"}]
    for doubts, word in ((json.dumps(told), "doubt slack"), ("[{]", "doubt damaged")):
        data = result.assign_attrs(doubts=doubts)
        write_pvd(data, tmp_path / "moor.pvd")
        write_vtp(data, tmp_path / "moor.vtp")
        for name in ("moor.pvd", "moor.vtp"):
            ElementTree.parse(tmp_path / name)
            assert f"<!-- {word}: " in (tmp_path / name).read_text(encoding="utf-8")
        write_excel(data, tmp_path / "moor.xlsx")
        about = openpyxl.load_workbook(tmp_path / "moor.xlsx")["about"]
        assert word in [row[0].value for row in about.iter_rows()]
    plain = result.assign_attrs(doubts="[]")
    write_vtp(plain, tmp_path / "moor.vtp")
    assert "<!--" not in (tmp_path / "moor.vtp").read_text()


def test_results_without_time_are_refused(tmp_path: Path) -> None:
    modes = xr.Dataset({"omega": ("mode", [1.0, 2.0])})
    with pytest.raises(InputError, match="no records over time"):
        write_pvd(modes, tmp_path / "a.pvd")
    with pytest.raises(InputError, match="no records over time"):
        write_out(modes, tmp_path / "a.out")
    write_csv(modes, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "mode,omega\n0,1.0\n1,2.0\n"
    with pytest.raises(InputError, match="none of time"):
        write_csv(xr.Dataset({"x": ("node", [1.0])}), tmp_path / "b.csv")


def test_nets_are_their_bars(tmp_path: Path) -> None:
    """Two by two knots with four bars; net numbers and tensions are of the cells."""
    knots = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, -1], [1, 0, -1]])
    net = xr.Dataset(
        {"net_position": (("time", "knot", "axis"), knots[None]), "net_tension": (("time", "twine"), [[1.0, 2, 3, 4]])},
        coords={"time": [0.0], "net": ["pen"], "twine_net": ("twine", ["pen"] * 4), "twine_a": ("twine", [0, 1, 0, 2]),
                "twine_b": ("twine", [1, 3, 2, 3])},
    )  # fmt: skip
    write_vtp(net, tmp_path / "net.vtp")
    got = arrays(tmp_path / "net.vtp")
    np.testing.assert_array_equal(got["Lines connectivity"].reshape(-1, 2), [[0, 1], [1, 3], [0, 2], [2, 3]])
    np.testing.assert_array_equal(got["CellData tension"], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("hull", "points"), [({"kind": "sphere", "radius": 2.0, "centre": [0, 0, 1]}, 17 * 32), (None, 3)]
)
def test_spheres_and_bodies_without_hull_are_drawn(hull: dict | None, points: int, tmp_path: Path) -> None:
    body = {"mass": 1.0, "position": [0, 0, -5], "joint": "fixed", "attachments": {"a": [0, 0, 1], "b": [1, 0, 0]}}
    system = rw.System.model_validate({"bodies": {"ball": body | ({"hull": hull} if hull else {})}})
    drawn = xr.Dataset(
        {"body_position": (("time", "body", "axis"), [[[0.0, 0, -5]]]),
         "body_quaternion": (("time", "body", "quaternion"), [[[1.0, 0, 0, 0]]])},
        coords={"time": [0.0], "body": ["ball"]}, attrs={"system": system.model_dump_json(by_alias=True)},
    )  # fmt: skip
    write_vtp(drawn, tmp_path / "ball.vtp")
    got = arrays(tmp_path / "ball.vtp")["Points Points"]
    assert len(got) == points
    if hull:
        np.testing.assert_allclose(np.linalg.norm(got - [0, 0, -4], axis=1), 2.0, rtol=1e-12)
