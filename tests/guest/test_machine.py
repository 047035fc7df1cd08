# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest does with each kind of command, on a real kernel."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from granule.targets import Outcome
from granule.userland import GuestPrograms, Request

pytestmark = pytest.mark.machine

Boot = Callable[[Request], Outcome]


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (("true",), "exited with 0"),
        (("false",), "exited with 1"),
        (("bash", "-c", "kill -SEGV $$"), "was killed by signal 11"),
        (("nonesuch",), "could not be started: No such file or directory (ENOENT)"),
        (("/etc",), "could not be started: Permission denied (EACCES)"),
    ],
)
def test_how_commands_end(boot: Boot, argv: tuple[str, ...], status: str) -> None:
    assert boot(Request(argv)).status.describe() == status


def test_what_a_command_finds(boot: Boot, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('#!/bin/sh\necho "$@"; pwd; echo $LANG $NEW; hostname; echo oops >&2\n')
    script.chmod(0o755)
    request = Request(("./script", "a b", ""), environment={"NEW": "1"}, copies=(script,))
    outcome = boot(request)
    assert outcome.stdout == b"a b \n/root\nC.UTF-8 1\ngranule\n"
    assert outcome.stderr == b"oops\n"
    assert outcome.kallsyms is None


def test_the_machine_has_memory_tagging(boot: Boot) -> None:
    outcome = boot(Request(("grep", "-c", "mte", "/proc/cpuinfo"), symbols=True))
    assert outcome.status.success
    assert " T do_mem_abort\n" in (outcome.kallsyms or "")
    assert outcome.uname.startswith("Linux granule 6.12.")


def test_what_is_left_running_is_ended(boot: Boot) -> None:
    assert boot(Request(("bash", "-c", "sleep 1000 & echo done"))).stdout == b"done\n"


def test_loopback_memcached(boot: Boot) -> None:
    script = "memcached -u root -d -l 127.0.0.1 && memcaslap -s 127.0.0.1:11211 -x 500 -T 1 -c 4"
    outcome = boot(Request(("bash", "-c", script)))
    assert b"Ops: 500" in outcome.stdout


@pytest.mark.parametrize(("tunables", "tagged"), [("", False), ("glibc.mem.tagging=3", True)])
def test_perf_bench_with_and_without_tags(boot: Boot, tunables: str, *, tagged: bool) -> None:
    request = Request(
        ("perf", "bench", "futex", "hash", "-t", "1", "-r", "1"),
        environment={"GLIBC_TUNABLES": tunables},
    )
    outcome = boot(request)
    assert outcome.status.success
    address = int(outcome.stdout.split(b"futexes: ")[1].split()[0], 16)
    assert bool(address >> 56) == tagged


def test_repeatable_runs_print_the_same(boot: Boot) -> None:
    request = Request(("bash", "-c", "echo $RANDOM; cat /proc/uptime /proc/stat"))
    assert boot(request).stdout == boot(request).stdout


def test_exact_runs_to_its_end(boot: Boot, programs: GuestPrograms) -> None:
    outcome = boot(Request(("./exact",), copies=(programs.workloads["exact"],)))
    assert outcome.status.success, outcome.stderr
    recorded = Path(__file__).parent / "exact.jsonl"
    lines = [json.loads(line) for line in outcome.stdout.splitlines()]
    assert lines == [json.loads(line) for line in recorded.read_text().splitlines()]


def test_what_init_cannot_do_is_said(boot: Boot) -> None:
    status = boot(Request(())).status
    assert status.describe() == "was not reached: there is no command in /granule/argv"
