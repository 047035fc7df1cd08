# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of QEMU for a job."""

from dataclasses import dataclass
from pathlib import Path

from granule.targets.debugger import Debugger
from granule.targets.job import Counting, Job

EMULATOR = "qemu-system-aarch64"

# An oops panics and a panic ends QEMU (with -no-reboot), so no run limps on.
# Below loglevel 4 only errors reach the console: a write to it is an event.
KERNEL_ARGUMENTS = "console=ttyAMA0 loglevel=4 panic=-1 oops=panic"

# The cores with MTE that ship have no SVE2 or SME worth counting on; without
# them the context switch is theirs too. The default pointer authentication is
# computed bit by bit and would take most of the host's time.
CPU = "max,pauth-impdef=on,sve=off,sme=off"


# A thread for each CPU, which the plugin relies on, whatever QEMU's default is.
_PARALLEL = ("-accel", "tcg,thread=multi")


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one run in its directory."""

    directory: Path

    @property
    def initramfs(self) -> Path:
        """What init is asked to do."""
        return self.directory / "initramfs.cpio"

    @property
    def results(self) -> Path:
        """The archive init sends."""
        return self.directory / "results.tar"

    @property
    def console(self) -> Path:
        """All the guest wrote to its serial port."""
        return self.directory / "console.log"

    @property
    def kernel_log(self) -> Path:
        """What the kernel wrote to its log; of that only errors reach the console."""
        return self.directory / "dmesg.log"

    @property
    def counts(self) -> Path:
        """The plugin's JSON."""
        return self.directory / "counts.json"

    @property
    def heartbeat(self) -> Path:
        """Eight bytes the plugin bumps at each exception taken."""
        return self.directory / "heartbeat"

    @property
    def emulator_log(self) -> Path:
        """What QEMU itself had to say."""
        return self.directory / "qemu.log"


def command_line(job: Job, files: Files, plugin: Path | None) -> list[str]:
    """All arguments, the program first. ``plugin`` is needed if the job counts.

    There is no disk: it would answer when the host likes, and no two runs would
    be the same. The memory is a memfd so that the plugin, which lives in the same process,
    can find it and walk the guest's page tables.
    """
    return [
        EMULATOR,
        *_machine(job),
        *_kernel(job, files),
        *_results(files),
        *("-nodefaults", "-display", "none", "-no-reboot"),
        *_serial(job, files),
        *(_debugger(job.debugger) if job.debugger else ()),
        *(_repeatable(job.seed) if job.repeatable else _PARALLEL),
        *(_plugin(job.counting, files, plugin) if job.counting and plugin else ()),
    ]


def _machine(job: Job) -> list[str]:
    size = f"{job.memory}M"
    machine = "virt,mte=on,gic-version=3,dtb-randomness=off,memory-backend=ram"
    if job.exception_level > 1:
        machine += ",virtualization=on"
    memory = f"memory-backend-memfd,id=ram,size={size},share=on"
    return ["-M", machine, "-object", memory, "-cpu", CPU, "-smp", str(job.cpus), "-m", size]


def _kernel(job: Job, files: Files) -> list[str]:
    images = ["-kernel", str(job.kernel), "-initrd", str(files.initramfs)]
    return [*images, "-append", f"{KERNEL_ARGUMENTS} {job.kernel_arguments}".strip()]


def _results(files: Files) -> list[str]:
    """A virtio port. Without ioeventfd a write to it is done when the instruction is."""
    backend = f"file,id=results,path={_value(files.results)}"
    port = "virtserialport,chardev=results,name=granule-results"
    return ["-chardev", backend, "-device", "virtio-serial-pci,ioeventfd=off", "-device", port]


def _serial(job: Job, files: Files) -> list[str]:
    if job.request.shell:
        return ["-serial", "mon:stdio"]
    return [
        "-chardev",
        f"file,id=console,path={_value(files.console)}",
        "-serial",
        "chardev:console",
    ]


def _debugger(debugger: Debugger) -> list[str]:
    server = ["-gdb", f"unix:{_value(debugger.socket)},server=on,wait=off"]
    return [*server, "-S"] if debugger.halted else server


def _repeatable(seed: int) -> list[str]:
    time = ["-icount", "shift=0,sleep=off", "-rtc", "base=2024-01-01T00:00:00,clock=vm"]
    return [*time, "-seed", str(seed)]


def _plugin(counting: Counting, files: Files, plugin: Path) -> list[str]:
    arguments = [
        f"file={_value(plugin)}",
        f"out={_value(files.counts)}",
        f"heartbeat={_value(files.heartbeat)}",
        f"profile={_switch(counting.profile)}",
        f"verify={_switch(counting.verify)}",
    ]
    if counting.stacks is not None:
        arguments.append(f"stacks={counting.stacks}")
    return ["-plugin", ",".join(arguments)]


def _switch(wanted: bool) -> str:  # noqa: FBT001 a word for a value, not a mode
    return "on" if wanted else "off"


def _value(path: Path) -> str:
    """A comma would end the value; QEMU reads two as one."""
    return str(path).replace(",", ",,")
