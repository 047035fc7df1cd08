# SPDX-License-Identifier: GPL-2.0-or-later
"""What makes the counts of a measurement doubtful, in sentences."""

from collections import Counter
from collections.abc import Iterator

from granule.events.doubts import doubts as doubts_of
from granule.report.functions import INSTRUCTIONS, FunctionRuns
from granule.report.header import counts_of
from granule.run import Measurement
from granule.stats import summarize
from granule.symbols import USER

# Where Linux goes round until another CPU has done something. QEMU's CPUs are threads, so
# how often depends on when the host lets that one run.
_WAITING = frozenset(
    {
        "cpu_idle_poll",
        "multi_cpu_stop",
        "mutex_spin_on_owner",
        "osq_lock",
        "queued_read_lock_slowpath",
        "queued_spin_lock_slowpath",
        "queued_write_lock_slowpath",
        "rwsem_spin_on_owner",
        "smp_call_function_many_cond",
        "smp_call_function_single",
    }
)
_MUCH_WAITING = 0.1
"""The part of the kernel's instructions from which waiting is worth a word."""

_WIDE = 0.25
"""The part of a mean from which the interval around it makes it no figure."""


def doubts(measurement: Measurement) -> tuple[str, ...]:
    """Empty in a healthy measurement."""
    counts = counts_of(measurement)
    seen = [d for each in counts for d in doubts_of(each.measured(), each.diagnostics)]
    if not measurement.settings.repeatable:
        seen += [d for each in counts[0].measured() for d in _doubt_of_host(measurement, each.name)]
    return tuple(dict.fromkeys(seen))


def _doubt_of_host(measurement: Measurement, region: str) -> Iterator[str]:
    """A sentence if the host, rather than the kernel, decides what several CPUs execute."""
    signs = [*_variation(measurement, region), *_waiting(measurement, region)]
    if signs:
        yield (
            f"Region '{region}': {' and '.join(signs)}. With several CPUs the host decides how "
            "long they wait for each other: leave it idle, take more runs (-n), or one CPU "
            "(--cpus 1); events that no waiting loop makes, such as svc or tlbi, suffer least."
        )


def _variation(measurement: Measurement, region: str) -> Iterator[str]:
    runs = [each.region(region).events.get(INSTRUCTIONS) for each in counts_of(measurement)]
    summary = summarize([run.k if run else 0 for run in runs])
    if summary.half_width is not None and summary.half_width > _WIDE * summary.mean:
        yield (
            f"the kernel's instructions vary from run to run by ± "
            f"{summary.half_width / summary.mean:.0%} of their mean"
        )


def _waiting(measurement: Measurement, region: str) -> Iterator[str]:
    """Says nothing without a profile."""
    everywhere: Counter[str] = Counter()
    for run in FunctionRuns.of(measurement, region).runs:
        for function, events in run.items():
            everywhere[function] += 0 if function == USER else events.get(INSTRUCTIONS, 0)
    waiting = Counter({name: n for name, n in everywhere.items() if _waits(name)})
    share = waiting.total() / (everywhere.total() or 1)
    if share >= _MUCH_WAITING:
        longest = waiting.most_common(1)[0][0]
        yield f"{share:.0%} of the kernel's instructions wait for another CPU, most in {longest}()"


def _waits(function: str) -> bool:
    """A compiler's copies of a function have suffixes, such as `.constprop.0`."""
    return function.partition(".")[0] in _WAITING
