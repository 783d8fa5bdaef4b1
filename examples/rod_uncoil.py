"""Uncoil a floating helix while its head stays where it is (Herault 2020, sec. 6.3).

python examples/rod_uncoil.py
"""

from pathlib import Path

import numpy as np

from ropewalk.analysis.rod_design import curvature_norm, uncoil
from ropewalk.analysis.stability import all_equilibria
from ropewalk.model.rod_fields import build_rod
from ropewalk.spec.system import System


def main():
    system = System.from_file(Path(__file__).with_name("rod_helix.yaml"))
    rod = build_rod(system.rods["helix"], system.environment, "helix")
    pose = all_equilibria(rod).states[0].pose
    walk = uncoil(rod, pose, factor=3.0)
    before, after = curvature_norm(rod), curvature_norm(walk.rod)
    print(f"{walk.message}: {len(walk.steps)} steps, |kappa| L from {before:.3f} to {after:.3f}")
    print(f"head moved by {np.abs(walk.pose.up - pose.up).max():.1e} rad and {abs(walk.pose.heave - pose.heave):.1e} m")
    return walk


if __name__ == "__main__":
    main()
