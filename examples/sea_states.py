"""Three sea states by ten seeds of the OC3-Hywind spar: extremes over the seeds, utilisation, seeds required."""

from __future__ import annotations

from pathlib import Path

import ropewalk as rw
from ropewalk.post.extremes import seed_convergence, seed_extremes
from ropewalk.post.utilisation import utilisation

SWEEP = Path(__file__).resolve().parent / "sweeps" / "sea_states.yaml"


def main() -> None:
    result = rw.sweep(SWEEP)
    extremes = seed_extremes(result).sel(line="line 2", end="B")
    print("Hs (m)   most probable maximum at fairlead 2 (kN)   90 % bounds (kN)")
    for g, height in enumerate(extremes.significant_height.values):
        value, low, high = (float(extremes[name][g]) / 1e3 for name in ("value", "low", "high"))
        print(f"{height:6.1f}   {value:40.0f}   {low:.0f} to {high:.0f}")
    used = utilisation(result)
    worst = used.utilisation.max("case")
    print(f"\nlargest utilisation, {used.attrs['code']}, {used.attrs['note']}:")
    for line in worst.line.values:
        print(f"  {line}: {float(worst.sel(line=line)):.2f}")
    storm = result.where(result.significant_height == 10.0, drop=True)
    found = seed_convergence(storm.end_tension_max.sel(line="line 2", end="B").values)
    print("\nseeds   most probable maximum (kN)   width of the bounds (kN)")
    for n, value, low, high in zip(found["seeds"], found["value"], found["low"], found["high"], strict=True):
        print(f"{n:5d}   {value / 1e3:26.0f}   {(high - low) / 1e3:24.0f}")


if __name__ == "__main__":
    main()
