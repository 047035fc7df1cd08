# SPDX-License-Identifier: GPL-2.0-or-later
"""What a feature promises its reader: the ``[[claim]]`` tables of ``feature.toml``.

::

    [[claim]]
    name = "getpid-barriers"
    statement = "In sync mode a system call executes two DSBs and two ISBs fewer."
    plan = "mte-sync"
    workload = "getpid"                 # or a list
    configuration = "kasan-sync"        # or a list
    events = ["dsb:k", "isb:k"]         # as 'granule stat -e' takes them
    change_per_operation = -2

A claim has exactly one limit; :class:`Kind` says which there are.
"""

import re
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Kind(StrEnum):
    """The limits there are. Each is the key that states it in a claim.

    ``at_most`` is the raw count of the candidate, in every run.
    ``change_per_operation`` is candidate minus baseline, exact to ``tolerance``.
    ``ratio_at_most`` is candidate over baseline, per operation.
    ``worse_by_at_most`` is how much of the baseline the candidate may do more.
    ``unchanged_within`` is how much of the baseline it may do more or less.
    ``identical`` says that every run of both counted the same.

    The two before the last let go by what chance explains, and what is less
    than ``floor`` counts.
    """

    AT_MOST = "at_most"
    CHANGE_PER_OPERATION = "change_per_operation"
    RATIO_AT_MOST = "ratio_at_most"
    WORSE_BY_AT_MOST = "worse_by_at_most"
    UNCHANGED_WITHIN = "unchanged_within"
    IDENTICAL = "identical"

    @property
    def needs_baseline(self) -> bool:
        """Whether the limit is about a difference."""
        return self is not Kind.AT_MOST


class _Model(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False
    )


class Limit(_Model):
    """How far an event may go. ``value`` is in the unit of its kind, see :class:`Kind`.

    ``tolerance`` is in counts per operation, ``floor`` in counts of a whole region.
    """

    kind: Kind
    value: float
    tolerance: float = 0
    floor: float = 2

    @property
    def exact_value(self) -> Fraction:
        """The decimal that was written, not the nearest binary number."""
        return Fraction(str(self.value))

    @property
    def exact_tolerance(self) -> Fraction:
        """The same for ``tolerance``."""
        return Fraction(str(self.tolerance))


def _as_list(value: object) -> object:
    """One name may be written without the list around it."""
    return [value] if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_as_list), Field(min_length=1)]
Number = Annotated[float, Field(strict=True)]
Share = Annotated[float, Field(strict=True, ge=0)]


class Claim(_Model):
    """One promise. ``events`` and ``except`` are expressions of event names.

    It is judged for each workload, configuration and event on its own. With
    ``function`` only what happens in these kernel functions counts; the plan's
    workload then keeps a profile.
    """

    name: str
    statement: Annotated[str, Field(min_length=1)]
    plan: str
    workloads: Annotated[Names, Field(alias="workload")]
    configurations: Annotated[Names, Field(alias="configuration")]
    events: Names
    exceptions: Annotated[Names | None, Field(alias="except")] = None
    functions: Annotated[Names | None, Field(alias="function")] = None

    at_most: Share | None = None
    change_per_operation: Number | None = None
    ratio_at_most: Share | None = None
    worse_by_at_most: Share | None = None
    unchanged_within: Share | None = None
    identical: bool | None = None
    tolerance: Share = 0
    floor: Share = 2

    @model_validator(mode="after")
    def _has_one_limit(self) -> Self:
        stated = [kind.value for kind in Kind if getattr(self, kind.value) is not None]
        if len(stated) != 1:
            found = " and ".join(stated) or "none"
            known = ", ".join(Kind)
            raise ValueError(f"a claim states exactly one of {known}, not {found}")
        if self.identical is False:
            raise ValueError("write 'identical = true', or another limit")
        if self.tolerance and self.change_per_operation is None:
            raise ValueError("'tolerance' belongs to 'change_per_operation'")
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"'{self.name}' is no name: write lower-case-words")
        return self

    @property
    def limit(self) -> Limit:
        """The limit it states."""
        kind = next(kind for kind in Kind if getattr(self, kind.value) is not None)
        value = float(getattr(self, kind.value))
        return Limit(kind=kind, value=value, tolerance=self.tolerance, floor=self.floor)
