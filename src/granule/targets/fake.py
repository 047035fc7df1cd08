# SPDX-License-Identifier: GPL-2.0-or-later
"""A target that plays recorded outcomes, so that everything above it runs in tests."""

from collections import deque
from collections.abc import Iterable

from granule.errors import GranuleError, MachineError
from granule.progress import Progress
from granule.targets.job import Job, Outcome


class FakeTarget:
    """Answers each job with the next recording; a recorded error is raised.

    ``jobs`` has what was asked so far.
    """

    def __init__(self, recordings: Iterable[Outcome | GranuleError]) -> None:
        self._recordings = deque(recordings)
        self.jobs: list[Job] = []
        self.stopped = False

    def run(self, job: Job, progress: Progress) -> Outcome:
        """See :class:`granule.targets.job.Target`."""
        self.jobs.append(job)
        with progress.step("play a recording"):
            if not self._recordings:
                raise MachineError("The fake target has no recording left to play.")
            recording = self._recordings.popleft()
            if isinstance(recording, GranuleError):
                raise recording
            return recording

    def stop(self) -> None:
        """See :class:`granule.targets.job.Target`."""
        self.stopped = True
