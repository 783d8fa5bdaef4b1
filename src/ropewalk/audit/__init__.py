"""The audit's own mechanics: loads, integrals and balances written a second time, in compiled code.

Every equilibrium is summed again here, and the records of runs are searched, before a result is returned. No method
and no part of the assembly imports this package, and it imports neither; import contracts check both. Its questions
are put together in analysis/audit.py, and what it leaves open is decided there.

Arguments that a docstring does not describe are the named tuples of their names: `strings` of `Strings`, `water` of
`Water`, `acting`, `field`, `limits`, `places`, `knots`, `elements` and `floats` likewise; `i` is a line, `node` the
number of a node, `s` an arc length from end A in m, `h` a step of it.
"""
