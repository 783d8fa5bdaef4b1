"""The list of variables: complete, within the dimensions, and in step with State."""

from ropewalk.model.state import State
from ropewalk.results.schema import COORDINATES, DIMENSIONS, FREQUENCY_COORDINATES, KINDS, SERIES, VARIABLES

GIVEN = {"time", "elevation", "energy"}


def test_every_variable_is_declared_once():
    names = [variable.name for variable in (*SERIES, *COORDINATES)]
    assert len(names) == len(set(names)) == len(VARIABLES)


def test_dimensions_are_the_fixed_ones():
    frequency = [variable for kind in KINDS.values() for variable in kind]
    for variable in (*VARIABLES.values(), *frequency, *FREQUENCY_COORDINATES):
        assert set(variable.dims) <= set(DIMENSIONS), variable.name


def test_every_variable_has_a_unit_and_a_meaning():
    frequency = [variable for kind in KINDS.values() for variable in kind]
    for variable in (*VARIABLES.values(), *frequency, *FREQUENCY_COORDINATES):
        assert variable.unit
        assert variable.meaning


def test_all_of_the_state_is_recorded():
    """Of a State only the mesh (start, s) is not a series; it rides as coordinates."""
    audited = {"node_force", "element_tension"}  # what only the audit reads
    derived = {"end_tension", "mooring_force"}  # from end_force and the places of the ends
    recorded = {variable.name for variable in SERIES} - GIVEN - derived
    assert recorded == set(State._fields) - {"time", "start", "s"} - audited


def test_results_of_every_question_are_described():
    """Modes, responses and state spaces hold what is declared for them, on these dimensions, with unit and meaning."""
    import ropewalk as rw
    from ropewalk.results.complex_parts import join_complex, split_complex
    from validation.test_frequencies import n_pendulum, tension_leg_platform

    system = tension_leg_platform(0.01)
    found = {
        "modes": rw.modes(system, 3, damped=True),
        "response": rw.response(system, [1.0, 2.0], "force:platform:x"),
        "state space": rw.state_space(n_pendulum([1.0, 2.0], 2.0), ["force:end:x"], ["position:end:x"]),
    }
    for kind, dataset in found.items():
        declared = {variable.name: variable for variable in KINDS[kind]}
        for name, variable in dataset.data_vars.items():
            assert variable.dims == declared[name].dims
            assert variable.attrs == declared[name].attrs
        assert all(coordinate.attrs["long_name"] for coordinate in dataset.coords.values())
    again = join_complex(split_complex(found["modes"]))
    assert again.identical(found["modes"][list(again.data_vars)])
