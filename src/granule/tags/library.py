# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's tag coder as a library of the host, built once and then taken from the cache."""

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from granule import cache, shipped
from granule.errors import BuildError, MissingToolError
from granule.tags.coder import Coder

COMPILER = "gcc"
_FLAGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")


def sources() -> tuple[Path, ...]:
    """The C files of the coder, as the kernel compiles them."""
    return tuple(_folder() / f"mte_tag_{part}.c" for part in ("pack", "rules", "unpack"))


def compiler_arguments() -> tuple[str, ...]:
    """What stands in for the kernel, for any program of the host that has the coder in it."""
    header = _feature() / "tests" / "host" / "mte_tag_coder_internal.h"
    return (*_FLAGS, "-include", str(header), "-I", str(_folder()))


def build_coder() -> Coder:
    """The coder; raises MissingToolError without a compiler, BuildError if it fails."""
    folder = cache.section("tag-coder")
    library = folder / f"{_identity()}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(prefix="build-", dir=folder) as scratch:
            unfinished = Path(scratch) / "library"
            compile_program(["-shared", "-fPIC", *map(str, sources())], unfinished)
            unfinished.replace(library)
    return Coder(library)


def compile_program(arguments: Sequence[str], output: Path) -> None:
    """Runs the compiler; raises MissingToolError or BuildError."""
    if shutil.which(COMPILER) is None:
        raise MissingToolError(f"{COMPILER} is missing: install it with 'apt install gcc'.")
    command = [COMPILER, *compiler_arguments(), "-o", str(output), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError("The tag coder does not compile.", details=done.stderr)


def _identity() -> str:
    """A digest of all that goes into the library."""
    digest = hashlib.sha256(" ".join(_FLAGS).encode())
    for path in (*sorted(_folder().glob("mte_tag_*")), *sorted(_host().iterdir())):
        digest.update(f"{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:32]


def _feature() -> Path:
    return shipped.folder() / "features" / "mte-swap"


def _folder() -> Path:
    return _feature() / "src" / "arch" / "arm64" / "mm"


def _host() -> Path:
    return _feature() / "tests" / "host"
