"""What does not fit into memory or into a minute is refused in a sentence, before anything is computed."""

from __future__ import annotations

import pytest
from commandline import ropewalk

KNOTS = """
ropewalk: 1
environment: {seabed: {kind: none}}
sections: {t: {diameter: 0.003, mass: 0.008, axial_stiffness: 2.0e4}}
points: {a: {position: [0, 0, 0]}, b: {position: [2, 0, 0]}}
nets:
  p:
    panel: {kind: knots, knots: [[0, 0, 0], [1, 0, -0.5], [2, 0, 0]], twines: [[0, 1, 1.2], [1, 2, 1.2]],
            ties: [{knot: 0, to: a}, {knot: 2, to: b}]}
    section: t
    bar_length: 1
"""


def test_records_beyond_the_most_are_refused_by_check_as_by_run(tmp_path, mooring, capsys):
    case = tmp_path / "long.yaml"
    case.write_text(mooring.read_text() + "run: {duration: 1.0e6}\nrecord: {every: 1.0e-6}\n")
    answers = [ropewalk(*words, case, capsys=capsys) for words in (["check"], ["run", "-o", tmp_path / "r.nc"])]
    for code, _, err in answers:
        assert code == 2 and "are 1e+12 records, at most 1e+08; give a larger record.every" in err


def test_frequencies_and_modes_that_do_not_fit_into_memory_are_refused(mooring, capsys):
    code, _, err = ropewalk("response", mooring, "--drive", "waves", "-n", 1_000_000_000, capsys=capsys)
    assert code == 2 and "Traceback" not in err and "1000000" in err
    code, _, err = ropewalk("response", mooring, "--drive", "waves", "-n", 1_000_000, capsys=capsys)
    assert code == 2 and "1000000 frequencies of" in err and "GB of memory, at most 4; request fewer frequencies" in err


def test_the_size_of_modes_is_estimated_from_their_unknowns(mooring):
    import ropewalk as rw
    from ropewalk.analysis.linearise import linearise

    linear = linearise(rw.System.from_file(mooring))
    linear.refuse_size(10**9, "modes")  # no more than there are unknowns
    large = type("Large", (), {"unknowns": type("Unknowns", (), {"size": 400_000})})()
    with pytest.raises(rw.InputError, match=r"200000 modes of 400000 unknowns need about 5\.12e\+03 GB"):
        type(linear).refuse_size(large, 200_000, "modes")


def test_memory_that_runs_out_is_one_sentence(mooring, capsys, monkeypatch):
    def greedy(*_, **__):
        raise MemoryError("Unable to allocate 2.33 TiB")

    monkeypatch.setattr("ropewalk.analysis.modes.modes", greedy)
    code, _, err = ropewalk("modes", mooring, capsys=capsys)
    assert (code, err.count("\n")) == (1, 1)
    assert "out of memory (Unable to allocate 2.33 TiB); give fewer elements" in err


def test_a_fine_net_is_coarsened_to_what_an_equilibrium_can_be_had_of():
    from ropewalk.model.net_layout import MOST_CELLS, lay_out
    from ropewalk.spec.nets import Net

    corners = [[0, -2, -1], [0, 2, -1], [0, 2, -4], [0, -2, -4]]
    net = Net(panel={"kind": "rectangle", "corners": corners}, section="t", bar_length=1e-5)
    lay = lay_out(net)
    assert len(lay.knots) == (MOST_CELLS + 1) ** 2 < 10_500
    twine = sum(length * twines for _, _, length, twines in lay.bars)
    assert twine == pytest.approx(2.0 * 4.0 * 3.0 / 1e-5, rel=1e-12)  # area times 2 over the mesh


def test_a_net_without_an_upper_edge_is_measured_solved_and_shown(tmp_path, capsys):
    import ropewalk as rw

    case = tmp_path / "knots.yaml"
    case.write_text(KNOTS)
    net = rw.statics(case).summary["nets"]["p"]
    assert net["mouth_area"] == net["mouth_width"] == 0.0 and net["max_tension"] > 0.0
    code, _, err = ropewalk("view", case, "--html", tmp_path / "page.html", capsys=capsys)
    assert code == 0 and "Traceback" not in err
