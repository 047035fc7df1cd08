# SPDX-License-Identifier: GPL-2.0-or-later
"""Every way a machine can fail is an error that names it; no run ends in a missing number."""

import os
import resource
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from granule.errors import FormatError, GuestError, MachineError, MissingToolError
from granule.progress import SilentProgress
from granule.targets import Job, QemuTarget
from granule.userland import Request

Script = Callable[[str], QemuTarget]

DONE = "leave(ALL)\ncount()\n"


def test_a_good_run_brings_everything_back(qemu: Script, job: Job) -> None:
    outcome = qemu(DONE).run(job, SilentProgress())
    assert outcome.status.success
    assert (outcome.stdout, outcome.stderr, outcome.dmesg) == (b"out", b"err", "log")
    assert outcome.counts is not None
    assert outcome.counts.region("command").events["instructions"].k == 9
    assert outcome.kallsyms is None
    assert outcome.machine.emulator.startswith("QEMU emulator version 10.0.2")
    assert "Booting Linux" in outcome.console.read_text()


def test_only_logs_stay_behind(qemu: Script, job: Job) -> None:
    outcome = qemu(DONE).run(job, SilentProgress())
    left = {path.name for path in outcome.console.parent.iterdir()}
    assert left == {"console.log", "dmesg.log", "qemu.log"}
    assert outcome.kernel_log.read_text() == outcome.dmesg


def test_a_job_without_counting_needs_no_plugin(qemu: Script, job: Job, tmp_path: Path) -> None:
    target = qemu("leave(ALL)\n")
    (tmp_path / "plugin.so").unlink()
    outcome = target.run(replace(job, counting=None), SilentProgress())
    assert outcome.counts is None


def test_a_missing_plugin_is_named(qemu: Script, job: Job, tmp_path: Path) -> None:
    target = qemu(DONE)
    (tmp_path / "plugin.so").unlink()
    with pytest.raises(MissingToolError, match="make setup"):
        target.run(job, SilentProgress())


def test_a_full_disk_is_told_before_anything_boots(qemu: Script, job: Job) -> None:
    # A limit on the size of files stands for the disk.
    job.userland.write_bytes(bytes(1 << 21))
    target = qemu("os.abort()\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(MachineError, match=r"Cannot write .*initramfs\.cpio: File too large"):
            target.run(job, SilentProgress())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_panic_is_reported_with_its_log(qemu: Script, job: Job) -> None:
    body = 'say("[ 1.0] Kernel panic - not syncing: Attempted to kill init!")\n'
    with pytest.raises(GuestError, match="Attempted to kill init") as caught:
        qemu(body).run(job, SilentProgress())
    assert "Booting Linux" in caught.value.details
    assert caught.value.log is not None
    assert caught.value.log.exists()


def test_an_oops_of_a_machine_that_does_not_end_is_not_waited_for(
    qemu: Script, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("granule.targets.watch.LAST_WORDS", 0.1)
    body = 'say("Unable to handle kernel paging request at virtual address 0")\ntime.sleep(60)\n'
    with pytest.raises(GuestError, match="Unable to handle kernel paging request"):
        qemu(body).run(job, SilentProgress())


def test_a_result_next_to_a_panic_does_not_count(qemu: Script, job: Job) -> None:
    with pytest.raises(GuestError, match="BUG: Bad page state"):
        qemu(DONE + 'say("BUG: Bad page state in process x")\n').run(job, SilentProgress())


def test_reports_can_be_tolerated(qemu: Script, job: Job) -> None:
    target = qemu(DONE + 'say("BUG: KASAN: invalid-access in kasan_test")\n')
    assert target.run(replace(job, tolerate_reports=True), SilentProgress()).status.success


def test_a_run_that_takes_too_long_ends(qemu: Script, job: Job) -> None:
    with pytest.raises(GuestError, match=r"longer than 0\.3 s.*--timeout"):
        qemu("time.sleep(60)\n").run(replace(job, timeout=0.3), SilentProgress())


def test_a_guest_whose_heart_stops_hangs(qemu: Script, job: Job) -> None:
    with pytest.raises(GuestError, match=r"no exception taken for 0\.5 s"):
        qemu("beat(5)\ntime.sleep(60)\n").run(replace(job, hang=0.5), SilentProgress())


def test_a_slow_guest_whose_heart_beats_does_not_hang(qemu: Script, job: Job) -> None:
    body = "for n in range(15):\n    beat(n)\n    time.sleep(0.1)\n" + DONE
    assert qemu(body).run(replace(job, hang=0.8), SilentProgress()).status.success


def test_a_killed_emulator_is_named(qemu: Script, job: Job) -> None:
    with pytest.raises(GuestError, match=r"killed by SIGKILL.*memory"):
        qemu("os.kill(os.getpid(), signal.SIGKILL)\n").run(job, SilentProgress())


def test_what_the_emulator_complains_of_is_shown(qemu: Script, job: Job) -> None:
    with pytest.raises(GuestError, match="cannot set up guest memory"):
        qemu('sys.exit("cannot set up guest memory")\n').run(job, SilentProgress())


@pytest.mark.parametrize("body", ["", "leave(dict(stdout='half'))\n"])
def test_a_machine_that_ends_without_its_results(qemu: Script, job: Job, body: str) -> None:
    with pytest.raises(GuestError, match="without its results"):
        qemu(body + "count()\n").run(job, SilentProgress())


def test_what_init_complains_of_is_shown(qemu: Script, job: Job) -> None:
    body = 'say("granule-init: no port, the kernel needs CONFIG_VIRTIO_CONSOLE")\n'
    with pytest.raises(GuestError, match="gave up: no port, the kernel needs CONFIG_VIRTIO"):
        qemu(body).run(job, SilentProgress())


def test_counts_that_are_not_there(qemu: Script, job: Job) -> None:
    with pytest.raises(GuestError, match="left no counts"):
        qemu("leave(ALL)\n").run(job, SilentProgress())


def test_counts_cut_short(qemu: Script, job: Job) -> None:
    with pytest.raises(FormatError):
        qemu("leave(ALL)\nopen(values['out'], 'w').write('{\"format\":')\n").run(
            job, SilentProgress()
        )


def test_stopping_kills_the_emulator(qemu: Script, job: Job, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    target = qemu(f"open({str(pid_file)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    stopper = threading.Thread(target=_stop_when_written, args=(target, pid_file))
    stopper.start()
    with pytest.raises(GuestError, match="stopped"):
        target.run(job, SilentProgress())
    stopper.join()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)


def _stop_when_written(target: QemuTarget, path: Path) -> None:
    while not (path.exists() and path.read_text()):
        time.sleep(0.02)
    target.stop()


def test_the_command_fails_in_its_own_words(qemu: Script, job: Job) -> None:
    outcome = qemu("leave({**ALL, 'status': 'exec 2'})\ncount()\n").run(job, SilentProgress())
    assert not outcome.status.success
    assert "No such file" in outcome.status.describe()


def test_the_shell_uses_the_terminal(qemu: Script, job: Job, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    target = qemu("")
    (tmp_path / "tools/qemu-system-aarch64").write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo QEMU emulator version 10.0.2 && exit\n'
        f'echo "$@" > {asked}\nexit 4\n'
    )
    request = Request(argv=(), shell=True)
    assert target.shell(replace(job, request=request, counting=None, repeatable=False)) == 4
    assert "-serial mon:stdio" in asked.read_text()
