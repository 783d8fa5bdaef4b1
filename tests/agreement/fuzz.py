"""Random systems by every method that claims them: `make fuzz N=1000 SEED=1`.

Cases run in a second process with a limit of time; failures are printed with their seeds, and `--keep DIR` writes their
files. Exit 1 if an answer was wrong, a case crashed, took too long, or two methods differ without a doubt.
"""

from __future__ import annotations

import argparse
import collections
import json
import multiprocessing as mp
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from finer import fine_outcome, finer_outcome
from plain_sums import plain_misses
from random_bar_runs import bar_run_outcome, random_bar_run
from random_extras import random_bodies, random_extra, random_extra_run
from random_friction import random_friction
from random_given import given_outcome, random_given
from random_jolts import random_jolt
from random_odd import random_odd
from random_runs import random_run, run_outcome
from random_systems import random_case
from random_webs import random_web, random_web_run
from random_wide import random_wide
from twins import PLACES, TWINS, twin_of

LONGEST = 20.0  # s of the processor, of one case by `auto`
SLOWEST = 60.0  # the same, of one case by all methods
PATIENCE = 0.2  # s between looks at a case
UTIME = 11  # field of /proc/PID/stat, counted from the state of the process: its own time; the system's follows
WARM_UP, COMPILING = 3, 1200.0  # a seed that most methods claim, and the longest that its kernels may take, s
AGREE = 1e-3  # of the largest end force, where methods state no discretisation error
SAME = 1e-5  # the same, of one method on a case and its twin: Newton stops at 1e-6 or better
MESHES = ("fem", "relax", "bars_statics", "settle")  # their mesh leaves errors, stated or not
MESH_ERROR = 2e-2  # of the largest end force, for meshes that state none
SKIPPED = ("settle",)  # the same bars as bars_statics, slowly
PLAIN = ("lines", "node", "web", "chain", "stiff", "deep")  # kinds whose answers plain_sums.py can check
# whose presence says that statics leave something undetermined
UNDETERMINED = {"slack", "friction", "sunk", "neutral", "unstable", "heeled", "several-equilibria"}


def solve(seed: int, every: bool, make: Callable[[int], dict[str, Any]] = random_case) -> dict[str, Any]:
    """Outcome of the case of a seed: by `auto`, and by every method that claims it.  make : the case of a seed"""
    import ropewalk as rw
    from ropewalk.analysis.statics import NOT_STATIC, static_methods
    from ropewalk.analysis.verify import allowed_difference
    from ropewalk.errors import ConvergenceError, InputError
    from ropewalk.methods.claims import demands
    from ropewalk.methods.registry import solver_class
    from ropewalk.model.model import build

    begin = time.process_time()
    result: dict[str, Any] = {"seed": seed, "kind": "", "methods": {}}
    try:
        system = rw.System.model_validate(make(seed))
        result["kind"] = system.title.split(" ")[0]
        answer = rw.statics(system)
    except InputError as error:
        return {**result, "outcome": "refused", "text": str(error), "time": time.process_time() - begin}
    except ConvergenceError as error:
        result |= {"outcome": "failed", "text": str(error), "time": time.process_time() - begin}
        answer = None
    except Exception as error:
        return {**result, "outcome": "crashed", "text": f"{type(error).__name__}: {error}",
                "time": time.process_time() - begin}  # fmt: skip
    else:
        result |= {"outcome": "done", "text": answer.method, "time": time.process_time() - begin,
                   "doubts": sorted({doubt.code for doubt in answer.doubts})}  # fmt: skip
        result["rejected"] = dict(answer.audit.rejected)
        if result["kind"] in PLAIN:
            result["plain"] = plain_misses(make(seed), answer, allowed_difference(answer, answer, 0.0))
    if not every:
        return result
    model = build(system)
    asked = demands(model) - NOT_STATIC
    scale = max(largest(answer.state.end_force), 1e-9) if answer is not None else 1.0
    for name in static_methods():
        if name in SKIPPED or not asked <= solver_class(name).claims:
            continue
        start = time.process_time()
        try:
            other = rw.statics(system, name)
        except (ConvergenceError, InputError) as error:
            result["methods"][name] = {"error": str(error), "time": time.process_time() - start}
            continue
        except Exception as error:
            result["methods"][name] = {"crash": f"{type(error).__name__}: {error}"}
            continue
        row: dict[str, Any] = {"time": time.process_time() - start, "doubts": sorted({d.code for d in other.doubts})}
        if answer is None:
            row["apart"] = None
        else:
            row["apart"] = largest(other.state.end_force - answer.state.end_force) / scale
            unknown = {name, answer.method} & set(MESHES) and allowed_difference(answer, other, 0.0) == 0.0
            row["allowed"] = max(allowed_difference(answer, other, AGREE), MESH_ERROR if unknown else 0.0)
        result["methods"][name] = row
    return result


def largest(force: Any) -> float:
    """Of forces (..., 3), N."""
    return float(np.linalg.norm(force, axis=-1).max(initial=0.0))


def twin_outcome(seed: int, make: Callable[[int], dict[str, Any]] = random_case, among: tuple[str, ...] = TWINS,
                 method: str = "auto") -> dict[str, Any]:  # fmt: skip
    """Outcome of a case and of a twin of it, whose end forces must be the same, see twins.py.

    among : the kinds of twins to choose from
    """
    import ropewalk as rw
    from ropewalk.analysis.verify import allowed_difference
    from ropewalk.errors import ConvergenceError, InputError

    begin = time.process_time()
    rng = np.random.default_rng([seed, 29])
    which = str(rng.choice(among))
    case = make(seed)
    twin, back = twin_of(case, which, rng)
    result: dict[str, Any] = {"seed": seed, "kind": f"{which} {case['title'].split(' ')[0]}", "methods": {}}
    answers: list[Any] = []
    for one in (case, twin):
        try:
            answers.append(rw.statics(rw.System.model_validate(one), method))
        except (InputError, ConvergenceError) as error:
            answers.append(str(error))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            return {**result, "outcome": "crashed", "text": text, "time": time.process_time() - begin}
    result["time"] = time.process_time() - begin
    own, other = answers
    if isinstance(own, str) or isinstance(other, str):
        both = isinstance(own, str) and isinstance(other, str)
        text = f"the case: {own if isinstance(own, str) else own.method}; the twin: {other}"
        return {**result, "outcome": "refused" if both else "failed", "text": text}
    result |= {"outcome": "done", "text": f"{own.method}, {other.method}"}
    result["doubts"] = sorted({doubt.code for answer in answers for doubt in answer.doubts})
    scale = max(float(np.abs(own.state.end_force).max(initial=0.0)), 1e-300)
    apart = float(np.abs(back(other.state.end_force) - own.state.end_force).max(initial=0.0)) / scale
    same = own.method == other.method and own.method not in MESHES
    allowed = allowed_difference(own, other, SAME if same else AGREE)
    row = {"time": 0.0, "doubts": [], "apart": apart, "allowed": allowed}
    return {**result, "methods": {f"twin ({own.method}, {other.method})": row}}


OUTCOMES = {
    "twins": twin_outcome,
    "twins friction": lambda seed: twin_outcome(seed, random_friction, PLACES, "fem"),
    "twins webs": lambda seed: twin_outcome(seed, random_web, PLACES),
    "twins wide": lambda seed: twin_outcome(seed, random_wide, ("reordered",)),
    "twins extra": lambda seed: twin_outcome(seed, random_extra, ("reordered",)),
    "runs": run_outcome,
    "bars": bar_run_outcome,
    "given": given_outcome,
    "extra runs": lambda seed: run_outcome(seed, random_extra_run),
    "web runs": lambda seed: run_outcome(seed, random_web_run),
    "jolts": lambda seed: run_outcome(seed, random_jolt),
    "finer": finer_outcome,
    "finer extra": lambda seed: finer_outcome(seed, random_extra),
    "finer wide": lambda seed: finer_outcome(seed, random_wide),
    "finer webs": lambda seed: finer_outcome(seed, random_web),
    "fine": fine_outcome,
    "fine wide": lambda seed: fine_outcome(seed, random_wide),
    "fine webs": lambda seed: fine_outcome(seed, random_web),
}
CASES = {
    "statics": random_case,
    "extra": random_extra,
    "wide": random_wide,
    "odd": random_odd,
    "webs": random_web,
    "friction": random_friction,
    "twins": random_case,
    "twins friction": random_friction,
    "twins webs": random_web,
    "twins wide": random_wide,
    "twins extra": random_extra,
    "bodies": random_bodies,
    "runs": random_run,
    "extra runs": random_extra_run,
    "web runs": random_web_run,
    "jolts": random_jolt,
    "bars": random_bar_run,
    "given": random_given,
    "finer": random_case,
    "finer extra": random_extra,
    "finer wide": random_wide,
    "finer webs": random_web,
    "fine": random_case,
    "fine wide": random_wide,
    "fine webs": random_web,
}


def _work(pipe: Any, every: bool, what: str) -> None:
    while True:
        seed = pipe.recv()
        if seed is None:
            return
        pipe.send(OUTCOMES[what](seed) if what in OUTCOMES else solve(seed, every, CASES[what]))


class Worker:
    """A process that solves one case after the other and is replaced when one takes too long."""

    def __init__(self, every: bool, what: str) -> None:
        self.every, self.what = every, what
        self._start()

    def _start(self) -> None:
        self.pipe, theirs = mp.get_context("spawn").Pipe()
        self.process = mp.get_context("spawn").Process(target=_work, args=(theirs, self.every, self.what), daemon=True)
        self.process.start()

    def run(self, seed: int, limit: float) -> dict[str, Any]:
        """Outcome of a seed."""
        self.pipe.send(seed)
        begin = self._spent()
        while not self.pipe.poll(PATIENCE) and self._spent() - begin < limit:
            pass
        if self.pipe.poll(0.0):
            try:
                return dict(self.pipe.recv())
            except EOFError:
                self._start()
                return {"seed": seed, "outcome": "crashed", "text": "the process died", "time": 0.0, "methods": {}}
        self.process.kill()
        self.process.join()
        self._start()
        self.warm_up()
        return {"seed": seed, "outcome": "too long", "text": f"more than {limit:g} s", "time": limit, "methods": {}}

    def _spent(self) -> float:
        """Time of the processor (s) that the process has used, which others on the machine do not lengthen."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # elsewhere, or ended
            return time.perf_counter()
        return (int(fields[UTIME]) + int(fields[UTIME + 1])) / os.sysconf("SC_CLK_TCK")

    def warm_up(self) -> None:
        """Load or compile the kernels, which is no part of a case's time."""
        self.pipe.send(WARM_UP)
        self.pipe.poll(COMPILING)
        self.pipe.recv()

    def stop(self) -> None:
        """End the process."""
        self.pipe.send(None)
        self.process.join(5.0)


def troubles(result: dict[str, Any]) -> list[str]:
    """What is wrong with an outcome, one sentence each."""
    found = []
    if result["outcome"] in ("crashed", "too long", "failed", "refused"):
        found.append(f"{result['outcome']}: {result['text'][:300]}")
    if result["outcome"] == "done" and result["time"] > LONGEST:
        found.append(f"slow: {result['time']:.1f} s")
    found += [f"does not add up: {text}" for text in result.get("plain", ())]
    known = set(result.get("doubts", ()))
    for name, row in result["methods"].items():
        if "crash" in row:
            found.append(f"{name} crashed: {row['crash'][:200]}")
        elif "error" in row and "audit rejects" in row["error"]:
            found.append(f"{name} wrong: {row['error'][:260]}")
        elif row.get("apart") is not None and row["apart"] > row["allowed"]:
            told = (known | set(row["doubts"])) & UNDETERMINED
            if not told:
                text = f"{row['apart']:.2g} of the largest end force (allowed: {row['allowed']:.2g})"
                found.append(f"{name} differs by {text}")
        elif "apart" in row and row["apart"] is None:
            found.append(f"{name} has an answer that auto has not")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the cases and print what failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**8)
    parser.add_argument("--runs", action="store_true", help="runs in time, not statics")
    parser.add_argument("--bars", action="store_true", help="with --runs: ropes and nets by the solvers of bars")
    parser.add_argument("--extra", action="store_true", help="ropes with memory, lift, hulls, slides, loads in time")
    parser.add_argument("--wide", action="store_true", help="beds and currents on grids, sheaves, foils, all sizes")
    parser.add_argument("--odd", action="store_true", help="threads without mass, exact spans, shared ends, fine nets")
    parser.add_argument("--webs", action="store_true", help="free points and buoys in chains, trees and loops")
    parser.add_argument("--friction", action="store_true", help="much line on beds with friction")
    parser.add_argument("--twins", action="store_true", help="each case beside one of other units, places or order")
    parser.add_argument("--bodies", action="store_true", help="statics of bodies without lines")
    parser.add_argument("--given", action="store_true", help="runs that start as they are given")
    parser.add_argument("--jolts", action="store_true", help="runs that begin with a jolt")
    parser.add_argument("--finer", action="store_true", help="the stated error of fem against a finer mesh")
    parser.add_argument("--fine", action="store_true", help="lines with 500 to 4,000 elements by fem")
    parser.add_argument("--auto", action="store_true", help="only the method that auto chooses")
    parser.add_argument("--keep", type=Path, help="folder for the files of failures")
    parser.add_argument("--seconds", type=float, default=np.inf, help="stop after this time")
    given = parser.parse_args(arguments)
    out = sys.stdout
    out.write(f"seeds {given.seed} to {given.seed + given.cases - 1}\n")
    what = ("bars" if given.bars else "runs") if given.runs or given.bars else "statics"
    for name in ("bodies", "given", "jolts", "wide", "odd", "friction"):
        what = name if getattr(given, name) else what
    if given.webs:
        what = "web runs" if what == "runs" else "webs"
    if given.extra:
        what = "extra runs" if what == "runs" else "extra"
    for name in ("finer", "fine", "twins"):
        if getattr(given, name):
            what = name if what == "statics" else f"{name} {what}"
    worker, counts, begin = Worker(not given.auto, what), collections.Counter[str](), time.perf_counter()
    by_method: collections.Counter[str] = collections.Counter()
    times: list[tuple[float, int]] = []
    worker.warm_up()
    for seed in range(given.seed, given.seed + given.cases):
        if time.perf_counter() - begin > given.seconds:
            break
        result = worker.run(seed, LONGEST if given.auto else SLOWEST)
        counts[result["outcome"]] += 1
        times.append((float(result["time"]), seed))
        if result["outcome"] == "done":
            by_method[result["text"] or "no doubts"] += 1
        for text in troubles(result):
            counts["trouble"] += 1
            out.write(f"{seed} {result.get('kind', '')} [{result['outcome']}] {text}\n")
            if given.keep is not None:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"seed_{seed}.yaml").write_text(json.dumps(CASES[what](seed)))
        out.flush()
    worker.stop()
    out.write(f"{dict(counts)} {dict(by_method)}\n")
    if times:
        slowest, of = max(times)
        out.write(f"{sum(t for t, _ in times) / len(times):.2f} s of CPU a case, at most {slowest:.1f} s (seed {of})\n")
    return 1 if counts["trouble"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
