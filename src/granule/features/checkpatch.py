# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own checker, scripts/checkpatch.pl, over patches with their new files."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from granule.errors import MachineError, MissingToolError, ShortfallError
from granule.features.model import Feature
from granule.features.patch import Patch, encode
from granule.features.trial import Base

_PROGRAM = Path("scripts/checkpatch.pl")

LEFT_OUT = {
    "MISSING_SIGN_OFF": "who takes over a patch signs it off, no program does",
    "FILE_PATH_CHANGES": "the kernel's MAINTAINERS names people, which a feature cannot",
    "spdxcheck.py": "it needs the kernel's git history, which the source package has not",
}
"""What is not asked, and why."""

_IGNORED = "MISSING_SIGN_OFF,FILE_PATH_CHANGES"


@dataclass(frozen=True)
class Verdict:
    """What the checker says of a patch: nothing if it is clean."""

    feature: str
    patch: str
    complaints: str


def check(base: Base, features: Sequence[Feature]) -> Iterator[Verdict]:
    """Asks the checker of a kernel tree about every patch; raises MissingToolError."""
    if not shutil.which("perl"):
        raise MissingToolError("checkpatch.pl needs perl: run 'apt-get install perl'.")
    for feature in features:
        for patch in feature.patches:
            yield Verdict(feature.name, patch.name, _complaints(base, patch))


def require(verdicts: Sequence[Verdict]) -> None:
    """Raises ShortfallError, with all complaints, unless every patch is clean."""
    bad = [verdict for verdict in verdicts if verdict.complaints]
    if bad:
        raise ShortfallError(
            f"checkpatch.pl complains of {len(bad)} of {len(verdicts)} patches, first of "
            f"{bad[0].patch} of feature '{bad[0].feature}'.",
            details="\n".join(f"{v.feature}/{v.patch}\n{v.complaints}" for v in bad),
        )


def summary(verdicts: Sequence[Verdict]) -> str:
    """What was found clean, and what was not asked."""
    if not verdicts:
        return "checkpatch.pl: there are no patches yet."
    left_out = "".join(f"\n  not asked: {what} ({why})" for what, why in LEFT_OUT.items())
    return f"checkpatch.pl --strict: clean patches: {len(verdicts)}.{left_out}"


def _complaints(base: Base, patch: Patch) -> str:
    with tempfile.TemporaryDirectory(prefix="granule-checkpatch-") as scratch:
        mail = Path(scratch, patch.name)
        mail.write_bytes(encode(patch.spliced()))
        done = subprocess.run(
            ["perl", base.directory / _PROGRAM, *_options(base), mail],
            cwd=base.directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    said = done.stdout.decode(errors="replace").strip()
    if done.returncode and not said:
        reason = done.stderr.decode(errors="replace").strip()
        raise MachineError(f"checkpatch.pl of {base.name} failed: {reason}")
    return said if done.returncode else ""


def _options(base: Base) -> tuple[str, ...]:
    return (
        # Without codespell's dictionary it goes by the kernel's own list alone.
        "--strict", "--codespell", "--no-summary", "--color=never", "--showfile",
        "--show-types", "--quiet", f"--root={base.directory}",
        f"--ignore={_IGNORED}",
    )  # fmt: skip
