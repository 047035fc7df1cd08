# SPDX-License-Identifier: GPL-2.0-or-later
"""What a guest does with each kind of command, on a real kernel."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from granule.userland import GuestPrograms, Request

pytestmark = pytest.mark.machine

Boot = Callable[[Request], dict[str, str]]


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (("true",), "exit 0\n"),
        (("false",), "exit 1\n"),
        (("bash", "-c", "kill -SEGV $$"), "signal 11\n"),
        (("nonesuch",), "exec 2\n"),
        (("/etc",), "exec 13\n"),
        ((), "init there is no command in /granule/argv\n"),
    ],
)
def test_how_commands_end(boot: Boot, argv: tuple[str, ...], status: str) -> None:
    assert boot(Request(argv))["status"] == status


def test_what_a_command_finds(boot: Boot, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('#!/bin/sh\necho "$@"; pwd; echo $LANG $NEW; hostname; echo oops >&2\n')
    script.chmod(0o755)
    request = Request(("./script", "a b", ""), environment={"NEW": "1"}, copies=(script,))
    results = boot(request)
    assert results["stdout"] == "a b \n/root\nC.UTF-8 1\ngranule\n"
    assert results["stderr"] == "oops\n"
    assert "kallsyms" not in results


def test_the_machine_has_memory_tagging(boot: Boot) -> None:
    results = boot(Request(("grep", "-c", "mte", "/proc/cpuinfo"), symbols=True))
    assert results["stdout"] == "1\n"
    assert " T do_mem_abort\n" in results["kallsyms"]
    assert results["uname"].startswith("Linux granule 6.12.")
    assert "Booting Linux" in results["dmesg"]


def test_what_is_left_running_is_ended(boot: Boot) -> None:
    assert boot(Request(("bash", "-c", "sleep 1000 & echo done")))["stdout"] == "done\n"


def test_loopback_memcached(boot: Boot) -> None:
    script = "memcached -u root -d -l 127.0.0.1 && memcaslap -s 127.0.0.1:11211 -x 500 -T 1 -c 4"
    assert "Ops: 500" in boot(Request(("bash", "-c", script)))["stdout"]


@pytest.mark.parametrize(("tunables", "tagged"), [("", False), ("glibc.mem.tagging=3", True)])
def test_perf_bench_with_and_without_tags(boot: Boot, tunables: str, *, tagged: bool) -> None:
    request = Request(
        ("perf", "bench", "futex", "hash", "-t", "1", "-r", "1"),
        environment={"GLIBC_TUNABLES": tunables},
    )
    results = boot(request)
    assert results["status"] == "exit 0\n"
    address = int(results["stdout"].split("futexes: ")[1].split()[0], 16)
    assert bool(address >> 56) == tagged


def test_equal_requests_run_the_same_to_the_last_tick(boot: Boot) -> None:
    request = Request(("bash", "-c", "echo $RANDOM; cat /proc/uptime /proc/stat /proc/vmstat"))
    assert boot(request) == boot(request)


def test_exact_runs_to_its_end(boot: Boot, programs: GuestPrograms) -> None:
    results = boot(Request(("./exact",), copies=(programs.workloads["exact"],)))
    assert results["status"] == "exit 0\n", results["stderr"]
    recorded = Path(__file__).parent / "exact.jsonl"
    lines = [json.loads(line) for line in results["stdout"].splitlines()]
    assert lines == [json.loads(line) for line in recorded.read_text().splitlines()]


@pytest.mark.parametrize("workload", ["getpid", "getppid", "invalid-syscall", "fork"])
def test_workloads_run_to_their_end(boot: Boot, programs: GuestPrograms, workload: str) -> None:
    results = boot(Request((f"./{workload}",), copies=(programs.workloads[workload],)))
    assert results["status"] == "exit 0\n", results["stderr"]
