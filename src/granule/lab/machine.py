# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab of this machine: its cache, emulator, plugin and guest programs."""

import functools
import hashlib
import os
import platform
from pathlib import Path

from granule import cache, provision, shipped
from granule.command import Command, prepare
from granule.digest import file_sha256
from granule.errors import MissingToolError, UsageError
from granule.kernel import BuiltKernel
from granule.kernel.identify import identify, manifest
from granule.lab.protocol import Kernel, Lab, settings
from granule.plan import Cell, Plan, Workload
from granule.progress import Progress
from granule.run import make_request
from granule.store import Conditions, KernelRecord
from granule.targets.version import find_emulator
from granule.userland import build_initramfs


class MachineLab:
    """The lab of this machine, with the emulator, plugin and cache that are on it."""

    def __init__(self, guest: provision.Guest, plugin: str, emulator: str, cache_dir: Path) -> None:
        """``plugin`` is a digest, ``emulator`` what it calls itself."""
        self._guest = guest
        self._plugin = plugin
        self._emulator = emulator
        self._cache = cache_dir
        self._identities: dict[str, str | None] = {}
        self._requests: dict[tuple[Path, str], str] = {}

    @property
    def host(self) -> str:
        """See :class:`Lab`."""
        return _host()

    def identity(self, spec: str) -> str | None:
        """See :class:`Lab`."""
        if spec not in self._identities:
            self._identities[spec] = identify(provision.parse(spec), self._cache)
        return self._identities[spec]

    def kernel(self, spec: str, progress: Progress) -> Kernel:
        """See :class:`Lab`."""
        built = provision.kernel(spec, progress)
        self._identities[spec] = built.identity
        return Kernel(provision.bootable(built, self._guest), self._record(built))

    def command(self, plan: Plan, workload: Workload) -> Command:
        """See :class:`Lab`."""
        files = [plan.folder / name for name in workload.files]
        if workload.command is not None:
            return prepare(workload.command, files)
        program = self._guest.programs.workloads.get(workload.program or "")
        if program is None:
            known = ", ".join(self._guest.programs.workloads)
            raise UsageError(
                f"Plan '{plan.name}', workload '{workload.name}': there is no program "
                f"'{workload.program}' in guest/workloads; there are {known}."
            )
        return prepare((str(program), *workload.arguments), files)

    def conditions(self, plan: Plan, cell: Cell, identity: str, seed: int) -> Conditions:
        """See :class:`Lab`."""
        return Conditions(
            kernel=identity,
            userland=self._guest.userland.identity,
            request=self._request(plan, cell),
            plugin=self._plugin,
            emulator=self._emulator,
            cpus=cell.configuration.cpus,
            memory=cell.configuration.memory,
            kernel_arguments=cell.configuration.append,
            profile=cell.workload.profile,
            seed=seed,
        )

    def _request(self, plan: Plan, cell: Cell) -> str:
        """A digest of init, the command, its environment and every file that is copied."""
        name = plan.folder / plan.name, cell.workload.name
        if name not in self._requests:
            request = make_request(self.command(plan, cell.workload), settings(cell))
            archive = build_initramfs(self._guest.programs.init, (), request)
            self._requests[name] = hashlib.sha256(archive).hexdigest()
        return self._requests[name]

    def _record(self, kernel: BuiltKernel) -> KernelRecord:
        found = manifest(kernel, self._cache)
        return KernelRecord(
            identity=kernel.identity,
            spec=kernel.spec,
            release=kernel.release,
            source=kernel.source.name,
            source_version=kernel.source.version,
            source_digest=kernel.source.digest,
            fragments=found.fragments if found else (),
            compiler=found.compiler if found else "unknown: the Image was given",
        )


def of_this_machine(progress: Progress) -> Lab:
    """The lab here; raises MachineError if a tool is missing or the guest cannot be made."""
    emulator = find_emulator().text
    plugin = shipped.plugin()
    if not plugin.exists():
        raise MissingToolError(f"The counting plugin {plugin} is not built: make setup.")
    return MachineLab(provision.guest(progress), file_sha256(plugin), emulator, cache.root())


@functools.cache
def _host() -> str:
    return f"{_processor()}, {os.cpu_count()} CPUs, {platform.machine()}"


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")
