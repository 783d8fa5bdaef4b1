"""The audit's own mechanics: loads, integrals and balances written a second time, in compiled code.

Every equilibrium is summed again here, and the records of runs are searched, before a result is returned. No method
and no part of the assembly imports this package, and it imports neither; import contracts check both. Its questions
are put together in analysis/audit.py, and what it leaves open is decided there.
"""
