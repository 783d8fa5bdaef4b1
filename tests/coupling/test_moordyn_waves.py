"""Hulls of MoorDyn files in waves: against the pressure summed over their volume, and beside the moordyn package.

The sum is plain numpy over cells of the cylinder under the true surface, rho (g e_z + a) dV, with added mass and drag
across the axis and on the lower face. A second sum follows MoorDyn 2.7: the surface is level at the height over the top
of the rod, and the water is that on the axis. The first is met by ropewalk, the second by MoorDyn.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from tests.coupling.test_moordyn_hulls import AREA, BOTTOM, RHO, TOP, D, G, H, hold, peer, write

import ropewalk.moordyn as ours
from ropewalk.coupling.moordyn_instance import plain_case
from ropewalk.spec.system import System

WAVES = ((0.8, 1.0), (1.2, 0.2))  # rad/s, m: eta = sum a cos(w t - k x)
COEFFICIENTS = {"cd": 0.8, "ca": 1.0, "cd_end": 0.6, "ca_end": 0.6}
DT, N = 0.25, 120


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Waves on the grid of WaveKin 2, which MoorDyn samples twice in the shortest period: rows without amplitude."""
    rows = [f"{0.4 * i:.1f} {dict(WAVES).get(round(0.4 * i, 1), 0.0)} 0 0" for i in range(101)]
    (tmp_path / "wave_frequencies.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "water_grid.txt").write_text("---\n---\n---\n2\n-60 60 121\n0\n0\n2\n-50 0 101\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def wavenumber(omega):
    k = omega**2 / G
    for _ in range(100):
        k = omega**2 / G / math.tanh(k * H)
    return k


def elevation(x, t):
    return sum(a * np.cos(w * t - wavenumber(w) * x) for w, a in WAVES)


def water(x, z, t):
    """Velocity and acceleration in x and z of Airy waves, stretched to the surface."""
    eta = elevation(x, t)
    depth = np.minimum(H * (z - eta) / (H + eta), 0.0) + H
    found = np.zeros((4, *np.shape(depth)))
    for w, a in WAVES:
        k = wavenumber(w)
        c, s = a * np.cos(w * t - k * x), a * np.sin(w * t - k * x)
        level, upright = np.cosh(k * depth) / math.sinh(k * H), np.sinh(k * depth) / math.sinh(k * H)
        found += [w * c * level, -w * s * upright, -w * w * s * level, -w * w * c * upright]
    return found


def summed(t, as_moordyn, nz=350, nr=5, na=12):
    """Force in x and z (N) and moment about y (N m) on the upright spar, held with its origin in the still surface."""
    thick = (TOP - BOTTOM) / nz
    z = BOTTOM + (np.arange(nz) + 0.5) * thick
    r = np.sqrt((np.arange(nr) + 0.5) / nr) * D / 2.0
    x = np.outer(r, np.cos((np.arange(na) + 0.5) * 2.0 * math.pi / na)).ravel()
    Z, X = np.meshgrid(z, x, indexing="ij")
    top = elevation(0.0, t)
    wet = np.clip(((top if as_moordyn else elevation(X, t)) - Z) / thick + 0.5, 0.0, 1.0)
    mass = RHO * AREA * thick / x.size * wet
    _, _, ax, az = water(0.0 * X if as_moordyn else X, Z, t)
    total = np.array([(mass * ax).sum(), (mass * (G + az)).sum(), (mass * (Z * ax - X * (G + az))).sum()])
    wet = np.clip((top - z) / thick + 0.5, 0.0, 1.0)
    u, _, ax, _ = water(0.0 * z, z, t)
    across = wet * thick * RHO * (AREA * COEFFICIENTS["ca"] * ax + 0.5 * COEFFICIENTS["cd"] * D * np.abs(u) * u)
    _, w, _, az = water(0.0, BOTTOM, t)
    face = RHO * (
        COEFFICIENTS["ca_end"] * math.pi * D**3 / 12.0 * az + 0.5 * COEFFICIENTS["cd_end"] * AREA * abs(w) * w
    )
    return total + np.array([across.sum(), face, (z * across).sum()])


LATE = slice(N // 3, None)


def held(md, folder: Path):
    """(n, 3) force in x and z and moment about y of a package on the spar that is held."""
    return hold(md, write(folder, waves=2, **COEFFICIENTS), [0.0] * 6, N, DT)[LATE, [0, 2, 4]]


def differing(force, as_moordyn):
    """(3,) root mean square of what forces differ by from the sum, relative to the variation of the sum."""
    exact = np.array([summed((i + 1) * DT, as_moordyn) for i in range(N)[LATE]])
    return np.sqrt(((force - exact) ** 2).mean(axis=0)) / exact.std(axis=0)


def test_held_spar_in_waves_has_the_force_of_the_pressure_on_it(folder):
    """Within 0.5 %: the share of the strip at the surface grows linearly, 12 strips on 7 m."""
    assert np.all(differing(held(ours, folder), False) < [6e-3, 2e-3, 4e-3])


def test_moordyn_takes_the_surface_as_level_and_the_water_on_the_axis(folder):
    """So the moment on its spar differs by 1.5 % from that of the pressure; by the sum that follows it, 0.1 %."""
    force = held(peer(), folder)
    assert differing(force, True)[2] < 2e-3
    assert 0.01 < differing(force, False)[2] < 0.02


BUOY = """buoy
---- LINE TYPES ----
Name Diam MassDenInAir EA BA/-zeta EI Cd Ca CdAx CaAx
(-) (m) (kg/m) (N) (N-s/-) (N-m2) (-) (-) (-) (-)
rope 0.06 8.0 4.0e6 -0.8 0 1.2 1.0 0.1 0.0
---- ROD TYPES ----
Name Diam Mass/m Cd Ca CdEnd CaEnd
(-) (m) (kg/m) (-) (-) (-) (-)
hull 2.0 400 0.8 1.0 0.6 0.6
---- BODIES ----
ID Attachment X0 Y0 Z0 r0 p0 y0 Mass CG I Volume CdA Ca
(-) (-) (m) (m) (m) (deg) (deg) (deg) (kg) (m) (kg-m2) (m3) (m2) (-)
1 Free 0 0 -8 0 0 0 3000 0|0|-1 4000|4000|2000 0 0 0
---- RODS ----
ID RodType Attachment Xa Ya Za Xb Yb Zb NumSegs RodOutputs
(-) (-) (-) (m) (m) (m) (m) (m) (m) (-) (-)
1 hull Body1 0 0 -2 0 0 2 16 -
---- POINTS ----
ID Attachment X Y Z Mass Volume CdA Ca
(-) (-) (m) (m) (m) (kg) (m3) (m2) (-)
1 Fixed 40 0 -50 0 0 0 0
2 Fixed -20 34.641016 -50 0 0 0 0
3 Fixed -20 -34.641016 -50 0 0 0 0
4 Body1 1 0 -2 0 0 0 0
5 Body1 -0.5 0.8660254 -2 0 0 0 0
6 Body1 -0.5 -0.8660254 -2 0 0 0 0
---- LINES ----
ID LineType AttachA AttachB UnstrLen NumSegs LineOutputs
(-) (-) (-) (-) (m) (-) (-)
1 rope 1 4 54.5 20 -
2 rope 2 5 54.5 20 -
3 rope 3 6 54.5 20 -
---- OPTIONS ----
0 writeLog
0.001 dtM
50 WtrDpth
1 ICgenDynamic
500 TmaxIC
1e-6 threshIC
7 WaveKin
---- END ----
"""


def tensions(md, forces=None):
    """(n, 3) of the lines of a free body, N.  forces : harmonic terms on it"""
    system = md.Create("lines.txt")
    if forces:
        plain = plain_case(system.system)
        plain["bodies"]["body1"]["loads"] = {"force": {"kind": "harmonic", "terms": forces}}
        system.system = System.model_validate(plain)
    md.Init(system, [], [])
    found = []
    for i in range(250):
        md.Step(system, [], [], 0.1 * i, 0.1)
        found.append([md.GetLineFairTen(md.GetLine(system, k)) for k in (1, 2, 3)])
    md.Close(system)
    return np.array(found)


def test_moordyn_lacks_the_wave_pressure_on_the_ends_of_rods_with_wavekin_7(folder):
    """4 % between the tensions of an upright cylinder; 1.4 % once that pressure is taken off here, too.

    Taken off is A (p_B - p_A) of Airy waves where the body is at rest; it surges by 1 m, 7 % of a radian of the waves.
    """
    (folder / "lines.txt").write_text(BUOY)
    # in its file the imaginary part is that of the cosine
    (folder / "wave_frequencies.txt").write_text("".join(f"{w} 0 {a} 0\n" for w, a in ((0.0, 0.0), *WAVES)))
    theirs = tensions(peer())

    def pressure(w, a, z):
        return RHO * G * a * math.cosh(wavenumber(w) * (z + H)) / math.cosh(wavenumber(w) * H)

    terms = [
        {"direction": [0, 0, 1], "amplitude": AREA * (pressure(w, a, -6.0) - pressure(w, a, -10.0)), "omega": w}
        for w, a in WAVES
    ]
    own, without = (np.linalg.norm(tensions(ours, f) - theirs) / np.linalg.norm(theirs) for f in (None, terms))
    assert 0.035 < own < 0.05
    assert without < 0.02
