"""Settings of methods: those of the classes themselves, checked with their place in the file."""

from __future__ import annotations

from dataclasses import fields

import pytest

from ropewalk.analysis.run import RUN_SETTINGS
from ropewalk.analysis.start import START_SETTINGS
from ropewalk.errors import InputError
from ropewalk.io.native import read_text
from ropewalk.methods.registry import SOLVERS, solver_class
from ropewalk.methods.shooting.solver import Shooting
from ropewalk.spec.options import RUN_OPTIONS, STATIC_OPTIONS

ELSEWHERE = {*RUN_SETTINGS, *START_SETTINGS, "accuracy", "effort"}  # keys of `run`, of `statics`, and memory


@pytest.mark.parametrize("name", sorted(set(SOLVERS) - {"settle"}))
def test_every_setting_of_a_method_is_an_option(name):
    kind = {**RUN_OPTIONS, **STATIC_OPTIONS}[name]
    own = {field.name for field in fields(solver_class(name))}
    run_settings = ELSEWHERE if name in RUN_OPTIONS else ELSEWHERE - {"tolerance"}
    left = own - set(kind.model_fields) - run_settings
    assert left <= {"order"} and set(kind.model_fields) <= own  # `relax` has the elements of `fem`, of order [1, 0]


@pytest.mark.parametrize("name", sorted({*RUN_OPTIONS, *STATIC_OPTIONS}))
def test_defaults_are_those_of_the_method(name):
    made = solver_class(name)()
    for key, value in {**RUN_OPTIONS, **STATIC_OPTIONS}[name]().model_dump().items():
        assert getattr(made, key) == (1 if (name, key) == ("shooting", "pair") else value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("run:\n  duration: 1\n  solver: projection\n  options:\n    varient: rrf\n",
         r"case\.yaml:5: run\.options\.varient: unknown key; did you mean 'variant'"),
        ("run: {duration: 1, solver: projection, options: {variant: rff}}", "'rff' is not known; did you mean 'rrf'"),
        ("run: {duration: 1, options: {variant: rrf}}", "options belong to a solver that is given by name; name one"),
        ("run: {duration: 1, solver: chain_series, options: {order: 1}}", "must be at least 2, not 1$"),
        ("statics: {method: shooting, options: {tolerance: 2}}", r"statics\.options\.tolerance: must be at most 0\.01"),
        ("statics: {method: fem, options: {order: [1, 1]}}", "must have a lower degree"),
    ],
)  # fmt: skip
def test_wrong_options_are_named_with_their_place(text, message):
    with pytest.raises(InputError, match=message):
        read_text(text)


def test_shooting_takes_its_pair_by_name_or_refuses():
    assert Shooting(pair="fehlberg").pair != Shooting().pair
    with pytest.raises(InputError, match="no Runge-Kutta pair 'euler'"):
        Shooting(pair="euler")
