# SPDX-License-Identifier: GPL-2.0-or-later
"""``granule shell``."""

import click

from granule import provision
from granule.cli import options
from granule.cli.output import warn
from granule.cli.progress import choose_progress
from granule.run import make_shell_job


@click.command()
@options.kernel_option
@options.guest_options
def shell(kernel: str) -> int:
    """Open a shell in the guest, or run a command on its console.

    Nothing is counted. Leave with 'exit'; Ctrl-A X ends the machine at once.

    \b
    Examples:
      granule shell
      granule shell --kernel arch/arm64/boot/Image --copy ./mybench
    """
    request = options.Request.current()
    command = request.prepared(default=("/bin/sh", "-l"))
    warn(command.warning)
    target = provision.target()
    (bootable,) = provision.bootables([kernel], choose_progress())
    return target.shell(make_shell_job(bootable, command, request.settings(counting=None)))
