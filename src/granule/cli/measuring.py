# SPDX-License-Identifier: GPL-2.0-or-later
"""What every verb that counts does before it shows anything."""

from collections.abc import Sequence
from pathlib import Path

from granule import provision
from granule.cli.options import Request
from granule.cli.output import warn
from granule.cli.progress import choose_progress
from granule.events import Catalog
from granule.lookup import check_program
from granule.run import Measurement, measure
from granule.targets import Counting


def measured(
    request: Request,
    kernels: Sequence[str],
    catalog: Catalog,
    counting: Counting,
    directory: Path | None = None,
) -> tuple[Measurement, ...]:
    """Runs what was requested on each kernel; what is wrong is said before anything is built."""
    catalog.check(request.events)
    command = request.prepared()
    settings = request.settings(counting)
    warn(command.warning)
    progress = choose_progress()
    target = provision.target()
    for text in kernels:
        provision.parse(text, directory)
    check_program(command, settings.environment, provision.guest(progress).userland.archive)
    bootables = provision.bootables(kernels, progress, directory=directory)
    return measure(target, bootables, command, settings, progress)
