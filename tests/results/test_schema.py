"""The list of variables: complete, within the dimensions, and in step with State."""

from ropewalk.model.state import State
from ropewalk.results.schema import COORDINATES, DIMENSIONS, SERIES, VARIABLES

GIVEN = {"time", "elevation", "energy"}


def test_every_variable_is_declared_once():
    names = [variable.name for variable in (*SERIES, *COORDINATES)]
    assert len(names) == len(set(names)) == len(VARIABLES)


def test_dimensions_are_the_fixed_ones():
    for variable in VARIABLES.values():
        assert set(variable.dims) <= set(DIMENSIONS), variable.name


def test_every_variable_has_a_unit_and_a_meaning():
    for variable in VARIABLES.values():
        assert variable.unit
        assert variable.meaning


def test_all_of_the_state_is_recorded():
    """Of a State only the mesh (start, s) is not a series; it rides as coordinates."""
    assert {variable.name for variable in SERIES} - GIVEN == set(State._fields) - {"time", "start", "s"}
