# SPDX-License-Identifier: GPL-2.0-or-later
"""The program ``granule``: its verbs, and the one place that turns errors into exit codes."""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

import click

from granule import __version__
from granule.cli.cache import cache
from granule.cli.check import check
from granule.cli.diff import diff
from granule.cli.doctor import doctor
from granule.cli.events import events
from granule.cli.features import checkout, features, refresh
from granule.cli.kernel import kernel
from granule.cli.profile import profile
from granule.cli.report import report
from granule.cli.run import run as run_plans
from granule.cli.setup import setup
from granule.cli.shell import shell
from granule.cli.show import show
from granule.cli.stat import stat
from granule.cli.tags import tags
from granule.cli.torture import torture
from granule.errors import GranuleError

_INTERRUPTED = 128 + signal.SIGINT
_DETAIL_LINES = 40


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="granule")
def program() -> None:
    """Exact architectural event counts of arm64 kernels with MTE.

    Granule boots a kernel on an emulated arm64 machine, runs one command in it
    and counts what the command and the kernel made the machine do: instructions,
    tag checks, TLB invalidations, barriers, system register accesses, atomics,
    exceptions; by exception level and by kernel function.

    \b
    Which events did my patch move?  (in a kernel tree)
      granule diff HEAD~1 HEAD -- ./mybench
    What does this command make the kernel do?
      granule stat -- perf bench syscall basic --loop 1000
    In which functions?
      granule profile -e tlbi -e dsb -- ./mybench
    Do the features keep what they promise?
      granule run; granule check
    What is missing on this machine?
      granule doctor

    \b
    Exit codes: 0 done; 1 the measured thing fell short (the command failed);
    2 wrong use; 3 the machine or a tool is missing or failed; 130 interrupted.
    """


VERBS = (
    *(stat, diff, profile, shell, run_plans, show, check, report, torture),
    *(kernel, features, checkout, refresh),
    *(events, tags, doctor, cache, setup),
)
for verb in VERBS:
    program.add_command(verb)


def main() -> NoReturn:
    """Runs the program and exits."""
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs one verb; returns the exit code. Nothing Granule raises leaves this function."""
    try:
        result = program.main(list(arguments), prog_name="granule", standalone_mode=False)
    except GranuleError as error:
        _explain(error)
        return error.exit_code
    except click.ClickException as error:
        _say(error.format_message())
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _say("interrupted.")
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return result if isinstance(result, int) else 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _explain(error: GranuleError) -> None:
    lines = error.details.rstrip().splitlines()[-_DETAIL_LINES:]
    for line in lines:
        click.echo(f"  | {line}", err=True)
    _say(error.message)
    if error.log is not None:
        click.echo(f"The whole log: {error.log}", err=True)


def _say(sentence: str) -> None:
    click.echo(f"granule: {sentence}", err=True)
