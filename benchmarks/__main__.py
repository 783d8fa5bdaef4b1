"""Run every benchmark of this folder, or those named: `python -m benchmarks [NAME ...]`."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings

import benchmarks


def main(names: list[str]) -> None:
    """Run `bench_NAME.main()` one after another."""
    known = sorted(
        m.name.removeprefix("bench_") for m in pkgutil.iter_modules(benchmarks.__path__) if "bench_" in m.name
    )
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}. There are: {', '.join(known)}")
    warnings.simplefilter("ignore")  # of the peers
    for name in names or known:
        print(f"\n== {name}")
        importlib.import_module(f"benchmarks.bench_{name}").main()


main(sys.argv[1:])
