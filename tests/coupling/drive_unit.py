"""Drive a unit of FMI by fmpy, in a process of its own: a unit written in Python does not share an interpreter well.

python drive_unit.py UNIT FOLDER < inputs.json > forces.json: steps of equal length, the last two done twice from one
saved state.
"""

import json
import os
import sys

import fmpy
from fmpy.fmi2 import FMU2Slave

INPUTS, OUTPUTS = ("x", "y", "z", "vx", "vy", "vz"), ("Fx", "Fy", "Fz")


def main():
    """The forces after each step, then those of the steps done again, then the tension at the top."""
    path, folder = sys.argv[1:]
    given = json.load(sys.stdin)
    described = fmpy.read_model_description(path)
    number = {v.name: v.valueReference for v in described.modelVariables}
    unit = FMU2Slave(
        guid=described.guid, unzipDirectory=fmpy.extract(path, unzipdir=folder),
        modelIdentifier=described.coSimulation.modelIdentifier, instanceName="mooring",
    )  # fmt: skip
    unit.instantiate()
    unit.setupExperiment(startTime=0.0)
    unit.enterInitializationMode()
    unit.exitInitializationMode()

    def step(i):
        unit.setReal([number[f"f.{key}"] for key in INPUTS], given["states"][i])
        unit.doStep(i * given["step"], given["step"])
        return unit.getReal([number[f"f.{key}"] for key in OUTPUTS])

    n = len(given["states"])
    forces = [step(i) for i in range(n - 2)]
    saved = unit.getFMUState()
    forces += [step(n - 2), step(n - 1)]
    unit.setFMUState(saved)
    again = [step(n - 2), step(n - 1)]
    tension = unit.getReal([number["m.tension_B"]])[0]
    sys.stdout.write(json.dumps({"forces": forces, "again": again, "tension": tension}))
    sys.stdout.flush()
    os._exit(0)  # taking the unit down would end the interpreter that it shares


if __name__ == "__main__":
    main()
