"""Scripts written for the `moordyn` package run with `import ropewalk.moordyn as moordyn`.

>>> import ropewalk.moordyn as moordyn
>>> moordyn.LEVEL_NONE
4096

What differs: `Close` twice is harmless, end tensions are the true reactions, and `Step` takes steps of any length;
the guide page "Coming from MoorDyn" has the rest.
"""

from __future__ import annotations

from ropewalk.coupling import moordyn as _names
from ropewalk.coupling import moordyn_vtk as _vtk
from ropewalk.coupling import moordyn_water as _water
from ropewalk.coupling.moordyn import LEVEL_DBG, LEVEL_ERR, LEVEL_MSG, LEVEL_NONE, LEVEL_WRN
from ropewalk.coupling.moordyn_instance import Instance, Part, takes

BODY_TYPE_COUPLED = _names.COUPLED
BODY_TYPE_FIXED = _names.FIXED
BODY_TYPE_FREE = _names.FREE
Close = _names.close
Create = _names.create
Deserialize = _names.deserialize
ExternalWaveKinGetCoordinates = _water.external_waves_places
ExternalWaveKinGetN = _water.external_waves_number
ExternalWaveKinInit = _water.external_waves_init
ExternalWaveKinSet = _water.external_waves_set
GetBody = _names.get_body
GetBodyID = _names.part_id
GetBodyState = _names.body_state
GetBodyType = _names.part_type
GetDoubts = _names.doubts
GetFASTtens = _names.end_tensions
GetLine = _names.get_line
GetLineFairTen = _names.line_fairlead_tension
GetLineID = _names.part_id
GetLineMaxTen = _names.line_largest_tension
GetLineN = _names.line_segments
GetLineNodePos = _names.line_node_position
GetLineNodeTen = _names.line_node_tension
GetLineNodeVel = _names.line_node_velocity
GetLineNumberNodes = _names.line_nodes
GetLineUnstretchedLength = _names.line_length
GetPoint = _names.get_point
GetPointForce = _names.point_force
GetPointID = _names.part_id
GetPointPos = _names.point_position
GetPointType = _names.part_type
GetPointVel = _names.point_velocity
GetRod = _names.get_rod
GetRodID = _names.part_id
GetRodN = _names.rod_segments
GetRodNodePos = _names.rod_node_position
GetRodNodeVel = _names.rod_node_velocity
GetRodNumberNodes = _names.rod_node_count
GetRodType = _names.part_type
GetWaveKinCoordinates = _water.external_waves_places
Init = _names.init
Load = _names.load
LoadState = _names.load
Log = _names.log
NCoupledDOF = _names.coupled_dof
POINT_TYPE_COUPLED = _names.COUPLED
POINT_TYPE_FIXED = _names.FIXED
POINT_TYPE_FREE = _names.FREE
ROD_TYPE_COUPLED = _names.COUPLED
ROD_TYPE_FIXED = _names.FIXED
ROD_TYPE_FREE = _names.FREE
Save = _names.save
SaveLineVTK = _vtk.save_line_vtk
SaveRodVTK = _vtk.save_rod_vtk
SaveState = _names.save
SaveVTK = _vtk.save_vtk
Serialize = _names.serialize
SetLineUnstretchedLength = _names.set_line_length
SetLineUnstretchedLengthVel = _names.set_line_length_rate
SetLogFile = _names.set_log_file
SetLogLevel = _names.set_log_level
SetVerbosity = _names.set_verbosity
SetWaveKin = _water.external_waves_set
Step = _names.step


@takes("system")
def GetNumberPoints(instance: Instance) -> int:
    """Number of points."""
    return len(instance.points)


@takes("system")
def GetNumberLines(instance: Instance) -> int:
    """Number of lines."""
    return len(instance.system.lines)


@takes("system")
def GetNumberBodies(instance: Instance) -> int:
    """Number of bodies."""
    return len(instance.bodies)


@takes("system")
def GetNumberRods(instance: Instance) -> int:
    """Number of rods."""
    return len(instance.rods)


@takes("body")
def GetBodyPos(body: Part) -> tuple[float, ...]:
    """Position of a body, m."""
    return GetBodyState(body)[0][:3]


@takes("body")
def GetBodyAngle(body: Part) -> tuple[float, ...]:
    """XYZ angles of a body, rad."""
    return GetBodyState(body)[0][3:]


@takes("body")
def GetBodyVel(body: Part) -> tuple[float, ...]:
    """Velocity of a body, m/s."""
    return GetBodyState(body)[1][:3]


@takes("body")
def GetBodyAngVel(body: Part) -> tuple[float, ...]:
    """Angular velocity of a body, rad/s."""
    return GetBodyState(body)[1][3:]


__all__ = [
    "BODY_TYPE_COUPLED",
    "BODY_TYPE_FIXED",
    "BODY_TYPE_FREE",
    "LEVEL_DBG",
    "LEVEL_ERR",
    "LEVEL_MSG",
    "LEVEL_NONE",
    "LEVEL_WRN",
    "POINT_TYPE_COUPLED",
    "POINT_TYPE_FIXED",
    "POINT_TYPE_FREE",
    "ROD_TYPE_COUPLED",
    "ROD_TYPE_FIXED",
    "ROD_TYPE_FREE",
    "Close",
    "Create",
    "Deserialize",
    "ExternalWaveKinGetCoordinates",
    "ExternalWaveKinGetN",
    "ExternalWaveKinInit",
    "ExternalWaveKinSet",
    "GetBody",
    "GetBodyAngVel",
    "GetBodyAngle",
    "GetBodyID",
    "GetBodyPos",
    "GetBodyState",
    "GetBodyType",
    "GetBodyVel",
    "GetFASTtens",
    "GetLine",
    "GetLineFairTen",
    "GetLineID",
    "GetLineMaxTen",
    "GetLineN",
    "GetLineNodePos",
    "GetLineNodeTen",
    "GetLineNodeVel",
    "GetLineNumberNodes",
    "GetLineUnstretchedLength",
    "GetNumberBodies",
    "GetNumberLines",
    "GetNumberPoints",
    "GetNumberRods",
    "GetPoint",
    "GetPointForce",
    "GetPointID",
    "GetPointPos",
    "GetPointType",
    "GetPointVel",
    "GetRod",
    "GetRodID",
    "GetRodN",
    "GetRodNodePos",
    "GetRodNodeVel",
    "GetRodNumberNodes",
    "GetRodType",
    "GetWaveKinCoordinates",
    "Init",
    "Load",
    "LoadState",
    "Log",
    "NCoupledDOF",
    "Save",
    "SaveLineVTK",
    "SaveRodVTK",
    "SaveState",
    "SaveVTK",
    "Serialize",
    "SetLineUnstretchedLength",
    "SetLineUnstretchedLengthVel",
    "SetLogFile",
    "SetLogLevel",
    "SetVerbosity",
    "SetWaveKin",
    "Step",
]
