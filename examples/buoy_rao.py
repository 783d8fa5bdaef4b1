"""Response of a moored buoy: modes, RAO over frequency, statistics in its sea."""

from pathlib import Path

import numpy as np

from ropewalk.analysis.linearise import linearise
from ropewalk.analysis.modes import modes
from ropewalk.analysis.response import Drive, response
from ropewalk.analysis.response_statistics import statistics
from ropewalk.spec.system import System

system = System.from_file(Path(__file__).with_suffix(".yaml"))
linear = linearise(system)
periods = modes(linear, 6).period.values
omega = np.linspace(0.3, 3.0, 10)
rao = response(linear, omega, Drive("waves", amplitude=0.5))  # drag is fitted to waves of 0.5 m
heave = np.abs(rao.body_motion.sel(body="buoy", dof="heave").values) / 0.5
tension = np.abs(rao.tension.values[:, -1]) / 0.5
sea = statistics(response(linear))

if __name__ == "__main__":
    print("periods:", ", ".join(f"{p:.2f} s" for p in periods))
    for w, h, t in zip(omega, heave, tension, strict=True):
        print(f"omega {w:.2f} rad/s: heave {h:.3f} m/m, tension at the buoy {t:.0f} N/m")
    std = float(sea.tension_std.values[-1])
    print(f"in Hs 2 m: tension std {std:.0f} N, most probable maximum {float(sea.tension_maximum.values[-1]):.0f} N")
