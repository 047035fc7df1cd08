# SPDX-License-Identifier: GPL-2.0-or-later
"""Options that several verbs share."""

from pathlib import Path
from typing import ClassVar

import click
from click.decorators import FC
from pydantic import BaseModel, ConfigDict

from granule.command import Command, prepare
from granule.errors import UsageError
from granule.run import Settings
from granule.targets import Counting

_KEPT = "granule.options"


class Request(BaseModel):
    """What the shared options of a call say, word for word."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    cpus: int
    memory: int
    copies: tuple[Path, ...]
    environment: tuple[str, ...]
    kernel_arguments: str
    command: tuple[str, ...]
    expressions: tuple[str, ...] = ()
    runs: int = 1
    timeout: float = 900.0
    tolerate_reports: bool = False

    @classmethod
    def current(cls) -> "Request":
        """The request of the call under way."""
        return cls.model_validate(click.get_current_context().meta[_KEPT])

    @property
    def events(self) -> tuple[str, ...]:
        """``-e a,b -e c`` is three expressions."""
        return tuple(part for text in self.expressions for part in text.split(","))

    def prepared(self, default: tuple[str, ...] = ()) -> Command:
        """The command, or a default one if none was given; raises UsageError."""
        return prepare(self.command or default, self.copies)

    def settings(self, counting: Counting | None) -> Settings:
        """The settings the options stand for; raises UsageError.

        Every verb that counts asks the guest for the same, and so counts the same.
        """
        return Settings(
            runs=self.runs,
            cpus=self.cpus,
            memory=self.memory,
            timeout=self.timeout,
            counting=counting,
            symbols=counting is not None,
            environment=tuple(_variable(text) for text in self.environment),
            kernel_arguments=self.kernel_arguments,
            tolerate_reports=self.tolerate_reports,
        )


class TestRequest(BaseModel):
    """What the shared options of a verb without a command say."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")

    runs: int
    kernel_arguments: str

    def settings(self) -> Settings:
        """The settings they stand for."""
        return Settings(runs=self.runs, kernel_arguments=self.kernel_arguments)


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise UsageError(f"'--env {text}' sets nothing: write '--env NAME=VALUE'.")
    return name, value


def _keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Keeps an option for the Request instead of handing it to the verb."""
    context.meta.setdefault(_KEPT, {})[parameter.name] = value


kernel_option = click.option(
    "--kernel",
    default="debian",
    show_default=True,
    metavar="SPEC",
    help="The kernel: 'debian', 'linux-6.12', 'linux-6.12+FEATURE', TREE@REVISION, or the path "
    "of an arm64 Image; ':FRAGMENT' behind one that is built chooses its configuration.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
top_option = click.option(
    "--top", default=25, show_default=True, type=click.IntRange(min=1), help="Functions to show."
)
store_option = click.option(
    "--store",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where measurements are kept, if not in the cache.",
)
plans_argument = click.argument("names", metavar="[PLAN]…", nargs=-1)
candidate_option = click.option(
    "--candidate",
    metavar="SPEC",
    help="Take this kernel for the candidate, and the baseline alone beside it.",
)
jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Machines to run at once, if not one for each CPU.",
)

_APPEND = click.option(
    "--append",
    "kernel_arguments",
    default="",
    metavar="ARGUMENTS",
    help="More for the kernel's command line, such as 'kasan.mode=async'.",
    callback=_keep,
    expose_value=False,
)
_RUNS = click.option(
    "-n",
    "--runs",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many runs: run i has seed i, and several show what chance does.",
    callback=_keep,
    expose_value=False,
)
_GUEST = (
    click.option(
        "--cpus",
        default=1,
        show_default=True,
        type=click.IntRange(1, 512),
        help="Virtual CPUs. With one, counts repeat exactly; with more, use -n and statistics.",
        callback=_keep,
        expose_value=False,
    ),
    click.option(
        "--memory",
        default=2048,
        show_default=True,
        type=click.IntRange(min=256),
        metavar="MIB",
        help="Memory of the guest.",
        callback=_keep,
        expose_value=False,
    ),
    click.option(
        "--copy",
        "copies",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A file or folder to put beside the command in the guest.",
        callback=_keep,
        expose_value=False,
    ),
    click.option(
        "--env",
        "environment",
        multiple=True,
        metavar="NAME=VALUE",
        help="A variable for the command.",
        callback=_keep,
        expose_value=False,
    ),
    _APPEND,
    click.argument(
        "command",
        nargs=-1,
        type=click.UNPROCESSED,
        metavar="-- CMD…",
        callback=_keep,
        expose_value=False,
    ),
)
_COUNTING = (
    click.option(
        "-e",
        "--event",
        "expressions",
        multiple=True,
        metavar="EVENTS",
        help="Events to show, with commas or several times; ':u' or ':k' chooses a level, "
        "'*' matches any part. See 'granule events'.",
        callback=_keep,
        expose_value=False,
    ),
    _RUNS,
    click.option(
        "--tolerate-reports",
        is_flag=True,
        help="Accept a kernel that complains in its log (WARNING, BUG, lockdep, leaks, …).",
        callback=_keep,
        expose_value=False,
    ),
    click.option(
        "--timeout",
        default=900.0,
        show_default=True,
        type=click.FloatRange(min=1),
        metavar="SECONDS",
        help="The most one run may take.",
        callback=_keep,
        expose_value=False,
    ),
)


def guest_options(verb: FC) -> FC:
    """Adds the options about the guest and its command; they come as Request.current()."""
    for option in reversed(_GUEST):
        verb = option(verb)
    return verb


def counting_options(verb: FC) -> FC:
    """Adds the same, and those about runs that are watched and counted."""
    verb = guest_options(verb)
    for option in reversed(_COUNTING):
        verb = option(verb)
    return verb


def test_options(verb: FC) -> FC:
    """Adds -n and --append for a verb that has no command; they come as test_settings()."""
    return _RUNS(_APPEND(verb))


def test_settings() -> Settings:
    """The settings that the options of :func:`test_options` stand for."""
    return TestRequest.model_validate(click.get_current_context().meta[_KEPT]).settings()
