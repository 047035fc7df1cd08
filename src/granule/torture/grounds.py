# SPDX-License-Identifier: GPL-2.0-or-later
"""Where trials are held: how their kernels come to be."""

from __future__ import annotations

from typing import Protocol

from granule import kernel as kernels
from granule import lab as labs
from granule import provision
from granule.progress import Progress
from granule.torture.conduct import Subject


class Grounds(Protocol):
    """What holding a trial needs to know."""

    @property
    def host(self) -> str:
        """The machine that times are of."""
        ...

    def features(self, spec: str) -> tuple[str, ...]:
        """The features of a kernel; raises UsageError for a wrong SPEC."""
        ...

    def subject(self, spec: str, progress: Progress) -> Subject:
        """A kernel to try, built if need be."""
        ...


class MachineGrounds:
    """The machine Granule runs on, with its cache."""

    def __init__(self, lab: labs.Lab) -> None:
        self._lab = lab

    @property
    def host(self) -> str:
        """See :class:`Grounds`."""
        return self._lab.host

    def features(self, spec: str) -> tuple[str, ...]:
        """See :class:`Grounds`."""
        parsed = provision.parse(spec)
        return parsed.features if isinstance(parsed, kernels.Linux) else ()

    def subject(self, spec: str, progress: Progress) -> Subject:
        """See :class:`Grounds`. What was built a moment ago is found, not built again."""
        built = provision.kernel(spec, progress)
        kernel = self._lab.kernel(spec, progress)
        return Subject(
            bootable=kernel.bootable,
            record=kernel.record,
            vmlinux=built.vmlinux,
            selftests=provision.selftests(spec, progress),
            features={each.name: each.digest for each in built.source.features},
            programs=provision.guest(progress).programs.workloads,
        )
