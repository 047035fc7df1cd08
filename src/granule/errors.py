# SPDX-License-Identifier: GPL-2.0-or-later
"""Every error Granule raises on purpose.

The tree, with the exit code the command line turns each into::

    GranuleError                3  anything below; catch this at the edge only
    ├── ShortfallError          1  the measured thing fell short: a test failed,
    │                              the command exited non-zero, a claim broke
    ├── UsageError              2  the request makes no sense; says what to change
    └── MachineError            3  the machine, a tool or the network failed
        ├── MissingToolError    3  a tool is absent or too old; says how to get it
        ├── DownloadError       3  something could not be fetched or verified
        ├── BuildError          3  a kernel, program or image could not be built
        ├── GuestError          3  the guest crashed, hung or lost its results
        └── FormatError         3  a file or document is not what it should be

A message is one plain sentence that names what to change. Anything longer, such
as the last lines of a log, goes into ``details``; ``log`` is the whole log.
"""

from pathlib import Path
from typing import ClassVar


class GranuleError(Exception):
    """An error with a message for the user.

    ``details`` are lines that explain the message (the end of a log), and
    ``log`` is the file with all of them.
    """

    exit_code: ClassVar[int] = 3

    def __init__(self, message: str, *, details: str = "", log: Path | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
        self.log = log


class ShortfallError(GranuleError):
    """The measurement worked and what was measured fell short."""

    exit_code = 1


class UsageError(GranuleError):
    """The request is wrong; the message says what to ask for instead."""

    exit_code = 2


class MachineError(GranuleError):
    """The host, a tool or the emulated machine failed."""

    exit_code = 3


class MissingToolError(MachineError):
    """A tool is absent or too old; the message has the command that installs it."""


class DownloadError(MachineError):
    """Something could not be fetched, or is not what its checksum says."""


class BuildError(MachineError):
    """A kernel, a program or an image could not be built."""


class GuestError(MachineError):
    """The guest crashed, hung, or ended without its results."""


class FormatError(MachineError):
    """A file or document is not in the format it should have."""
