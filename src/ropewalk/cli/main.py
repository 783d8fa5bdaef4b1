"""The `ropewalk` command: exit 0 done, 1 computation failed, 2 bad input."""

from __future__ import annotations

import sys
from typing import Any

import typer
import typer.core

from ropewalk.cli.check import check_command
from ropewalk.cli.convert import convert_command
from ropewalk.cli.demo import demo_command
from ropewalk.cli.float_ import float_command
from ropewalk.cli.live import live_command
from ropewalk.cli.modes import modes_command
from ropewalk.cli.new import new_command
from ropewalk.cli.plot import plot_command
from ropewalk.cli.recover import recover_command
from ropewalk.cli.report import report_command
from ropewalk.cli.response import response_command
from ropewalk.cli.run import run_command
from ropewalk.cli.schema import schema_command
from ropewalk.cli.static import static_command
from ropewalk.cli.step_limit import step_limit_command
from ropewalk.cli.sweep import sweep_command
from ropewalk.cli.tables import say
from ropewalk.cli.verify import verify_command
from ropewalk.cli.view import view_command
from ropewalk.cli.warmup import warmup_command
from ropewalk.cli.waves import waves_command
from ropewalk.errors import ConvergenceError, InputError, OutputError

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


class Interrupted(Exception):
    """Ctrl-C, with a message on what was kept: typer would end a KeyboardInterrupt silently."""


class Commands(typer.core.TyperGroup):
    """The commands; Ctrl-C reports what was kept."""

    def invoke(self, ctx: Any) -> Any:
        """Run the requested command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise Interrupted(str(stop) or "stopped") from None


app = typer.Typer(
    name="ropewalk",
    cls=Commands,
    help="Analysis of slender structures in the sea: mooring lines, chains, tethers, nets, buoys, floating rods.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("demo")(demo_command)
app.command("new")(new_command)
app.command("check")(check_command)
app.command("static")(static_command)
app.command("run")(run_command)
app.command("modes")(modes_command)
app.command("response")(response_command)
app.command("float")(float_command)
app.command("step-limit")(step_limit_command)
app.command("sweep")(sweep_command)
app.command("convert")(convert_command)
app.command("verify")(verify_command)
app.command("report")(report_command)
app.command("plot")(plot_command)
app.command("view")(view_command)
app.command("live")(live_command)
app.command("waves")(waves_command)
app.command("recover")(recover_command)
app.command("schema")(schema_command)
app.command("warmup")(warmup_command)


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        from ropewalk import __version__

        say(f"ropewalk {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit


def main() -> None:
    """Entry point: errors become messages on stderr and exit codes."""
    try:
        app()
    except InputError as error:
        _stop(str(error), BAD_INPUT)
    except (ConvergenceError, OutputError) as error:
        _stop(str(error), FAILED)
    except (Interrupted, KeyboardInterrupt) as stop:
        _stop(str(stop) or "stopped", INTERRUPTED)
    except MemoryError as error:
        _stop(
            f"out of memory ({str(error) or 'no details'}); give fewer elements, cells, records or frequencies", FAILED
        )
    except BrokenPipeError:  # the reader of our output has left
        sys.stderr.close()
        sys.exit(DONE)
    except OSError as error:
        from ropewalk.results.files import NO_ROOM  # loads numpy

        _stop(f"{error.filename or 'file'}: {error.strerror or error}", FAILED if error.errno in NO_ROOM else BAD_INPUT)


def _stop(message: str, code: int) -> None:
    say(message, err=True)
    sys.exit(code)
