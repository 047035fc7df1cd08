# SPDX-License-Identifier: GPL-2.0-or-later
"""What to measure: kernels, configurations and workloads, one plan for each table.

``plans/NAME.toml``; docs/claims.md explains every key::

    title = "No barriers where faults are synchronous"
    features = ["mte-sync"]
    baseline = "linux-6.12"
    kernels = ["linux-6.12", "linux-6.12+mte-sync", "linux-7.3"]

    [[configuration]]
    name = "kasan-async"
    fragments = ["kasan-hw"]
    append = "kasan.mode=async"

    [[workload]]
    name = "getpid"
    program = "getpid"
    region = "getpid"
    operations = "iterations"

Kernels are SPECs without fragments: those come from the configurations.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from granule import matrix, shipped
from granule.errors import UsageError
from granule.events.counts import COMMAND

ITERATIONS = "iterations"
"""The word for: as many operations as the region had iterations."""

Texts = tuple[str, ...]


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid")


class Configuration(_Model):
    """How the kernels are built and booted. ``memory`` is in MiB.

    ``append`` is added to the kernel's command line. With ``kernels`` only those
    of the plan exist in this configuration.
    """

    name: str
    fragments: Texts = ()
    append: str = ""
    cpus: Annotated[int, Field(strict=True, ge=1)] = 1
    memory: Annotated[int, Field(strict=True, ge=256)] = 2048
    kernels: Texts | None = None


class Workload(_Model):
    """A fixed amount of work, and how much that is.

    Either ``program``, a file of guest/workloads with ``arguments``, or
    ``command``. ``files`` are copied beside it, named from the plan's folder.
    ``operations`` is a number, ``iterations``, or a regular expression whose one
    group is the number in the command's output. ``profile`` keeps the events of
    each kernel function. ``tolerate_reports`` accepts a kernel that complains in its
    log. ``published`` is the benchmark of the plan's published table it corresponds
    to, or that table's name if it has no benchmarks.
    """

    name: str
    program: str | None = None
    arguments: Texts = ()
    command: Texts | None = None
    files: Texts = ()
    environment: Mapping[str, str] = Field(default_factory=dict)
    region: str = COMMAND
    runs: Annotated[int, Field(strict=True, ge=1)] = 1
    operations: Annotated[int, Field(strict=True, ge=1)] | str = 1
    profile: bool = False
    tolerate_reports: bool = False
    timeout: Annotated[float, Field(gt=0)] = 900
    configurations: Texts | None = None
    kernels: Texts | None = None
    events: Texts | None = None
    published: str | None = None

    @model_validator(mode="after")
    def _can_run(self) -> Self:
        if (self.program is None) == (self.command is None):
            raise ValueError(f"workload '{self.name}' needs either a program or a command")
        if self.command is not None and (self.arguments or not self.command):
            raise ValueError(f"workload '{self.name}': write all arguments into 'command'")
        if isinstance(self.operations, str) and self.operations != ITERATIONS:
            _check_expression(self.name, self.operations)
        return self

    @property
    def seeds(self) -> range:
        """The seeds of its runs: run i has seed i on every kernel."""
        return range(1, self.runs + 1)


Part = TypeVar("Part", Configuration, Workload)


class Plan(_Model):
    """All cells of a table. ``folder`` is where the plan lies.

    ``events`` are those that tables show. ``published`` names a table of
    published results that stands beside them. ``candidate`` is the kernel that
    claims judge, if that is not the baseline with the claim's feature.
    """

    name: str
    folder: Path
    title: str
    features: Texts = ()
    baseline: str
    candidate: str | None = None
    kernels: Annotated[Texts, Field(min_length=1)]
    events: Texts = ()
    published: str | None = None
    configurations: Annotated[tuple[Configuration, ...], Field(alias="configuration", min_length=1)]
    workloads: Annotated[
        tuple[Workload, ...],
        BeforeValidator(matrix.expand),
        Field(alias="workload", min_length=1),
    ]
    _asked: str = PrivateAttr(default="")

    @model_validator(mode="after")
    def _names_only_what_it_has(self) -> Self:
        configurations = _unique("configuration", [c.name for c in self.configurations])
        kernels = _unique("kernel", self.kernels)
        _unique("workload", [w.name for w in self.workloads])
        _known("kernel", [self.baseline], kernels)
        parts: Sequence[Configuration | Workload] = (*self.configurations, *self.workloads)
        for part in parts:
            _known("kernel", part.kernels or (), kernels)
        for workload in self.workloads:
            _known("configuration", workload.configurations or (), configurations)
        for kernel in self.kernels:
            if kernel.startswith("linux-") and ":" in kernel:
                raise ValueError(f"write the fragments of '{kernel}' into a configuration")
        return self

    @property
    def cells(self) -> "tuple[Cell, ...]":
        """Everything to measure, kernel by kernel."""
        return tuple(
            Cell(kernel, configuration, workload)
            for kernel in self.kernels
            for configuration in self.configurations
            for workload in self.workloads
            if _applies(kernel, configuration, workload)
        )

    def compared_with(self, candidate: str) -> "Plan":
        """The plan with its baseline and another candidate, wherever the baseline is measured."""
        kernels = tuple(dict.fromkeys((self.baseline, candidate)))
        compared = self.model_copy(
            update={
                "kernels": kernels,
                "candidate": candidate,
                "configurations": tuple(
                    _with_kernels(part, self.baseline, kernels) for part in self.configurations
                ),
                "workloads": tuple(
                    _with_kernels(part, self.baseline, kernels) for part in self.workloads
                ),
            }
        )
        compared._asked = f"--candidate {candidate} "
        return compared

    @property
    def command(self) -> str:
        """The command that measures it."""
        name = self.name if self.folder == folder() else self.folder / f"{self.name}.toml"
        return f"granule run {self._asked}{name}"

    def candidate_of(self, feature: str) -> str:
        """The kernel on which a feature's claims are judged."""
        return self.candidate or f"{self.baseline}+{feature}"

    def cell(self, kernel: str, configuration: str, workload: str) -> "Cell | None":
        """The cell of these names; None if the plan does not measure it."""
        wanted = kernel, configuration, workload
        return next((cell for cell in self.cells if cell.names == wanted), None)


@dataclass(frozen=True)
class Cell:
    """One workload on one kernel in one configuration."""

    kernel: str
    configuration: Configuration
    workload: Workload

    @property
    def names(self) -> tuple[str, str, str]:
        """Kernel, configuration, workload."""
        return self.kernel, self.configuration.name, self.workload.name

    @property
    def spec(self) -> str:
        """The SPEC of the kernel as it is configured here."""
        fragments = ",".join(self.configuration.fragments)
        return f"{self.kernel}:{fragments}" if fragments else self.kernel


def folder() -> Path:
    """Where the plans that come with Granule lie."""
    return shipped.folder() / "plans"


def load(names: Sequence[str]) -> tuple[Plan, ...]:
    """Plans by name or path, or all that come with Granule; raises UsageError."""
    if names:
        return tuple(parse(_find(name)) for name in names)
    return tuple(parse(path) for path in sorted(folder().glob("*.toml")))


def parse(path: Path) -> Plan:
    """Reads one plan; raises UsageError that names what is wrong in it."""
    try:
        document = tomllib.loads(path.read_text())
        return Plan.model_validate({**document, "name": path.stem, "folder": path.parent})
    except OSError as error:
        raise UsageError(f"Cannot read the plan {path}: {error.strerror}.") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The plan {path} is not TOML: {error}.") from error
    except ValidationError as error:
        raise UsageError(f"The plan {path} cannot be used: {_explain(error)}.") from error


def _find(name: str) -> Path:
    if name.endswith(".toml") or "/" in name:
        return Path(name)
    path = folder() / f"{name}.toml"
    if not path.exists():
        known = ", ".join(sorted(path.stem for path in folder().glob("*.toml"))) or "none yet"
        raise UsageError(f"There is no plan '{name}'; the plans are: {known}.")
    return path


def _applies(kernel: str, configuration: Configuration, workload: Workload) -> bool:
    """Whether neither of the two leaves the cell out."""
    if workload.configurations is not None and configuration.name not in workload.configurations:
        return False
    return all(part.kernels is None or kernel in part.kernels for part in (configuration, workload))


def _with_kernels(part: Part, baseline: str, kernels: Texts) -> Part:
    """Where the baseline is measured, all kernels are; elsewhere none."""
    applies = part.kernels is None or baseline in part.kernels
    return part.model_copy(update={"kernels": kernels if applies else ()})


def _check_expression(workload: str, expression: str) -> None:
    try:
        groups = re.compile(expression).groups
    except re.error as error:
        raise ValueError(f"workload '{workload}': operations: {error}") from error
    if groups != 1:
        raise ValueError(f"workload '{workload}': operations needs one group, not {groups}")


def _unique(kind: str, names: Sequence[str]) -> frozenset[str]:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"there are two {kind}s '{name}'")
    return frozenset(names)


def _known(kind: str, names: Sequence[str], known: frozenset[str]) -> None:
    for name in names:
        if name not in known:
            listed = ", ".join(sorted(known))
            raise ValueError(f"there is no {kind} '{name}' in the plan; it has {listed}")


def _explain(error: ValidationError) -> str:
    return "; ".join(_complaints(error))


def _complaints(error: ValidationError) -> Iterator[str]:
    for found in error.errors():
        where = ".".join(str(part) for part in found["loc"])
        message = found["msg"].removeprefix("Value error, ")
        yield f"{where}: {message}" if where else message
