# SPDX-License-Identifier: GPL-2.0-or-later
"""The compiler a kernel is built with, and the environment it runs in."""

from __future__ import annotations

import functools
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from granule.errors import MissingToolError

# Fixed, so that the same request gives the same bytes.
_TIMESTAMP = "Thu Jan  1 00:00:00 UTC 2026"
_BUILDER = "granule"

# What places of code inside macros are called in warnings: it takes a twentieth of a
# build to know, and no code depends on it.
_FLAGS = "-ftrack-macro-expansion=0"

_TOOLS = {"make": "make", "flex": "flex", "bison": "bison", "bc": "bc", "gcc": "gcc"}


@dataclass(frozen=True)
class Toolchain:
    """A compiler for arm64: `prefix` is empty where the machine is arm64 itself."""

    prefix: str
    version: str
    ccache: bool

    @property
    def compiler(self) -> str:
        """The compiler's program name."""
        return f"{self.prefix}gcc"

    def variables(self) -> tuple[str, ...]:
        """The variables that make's command line needs."""
        compiler = f"ccache {self.compiler}" if self.ccache else self.compiler
        cross = (f"CROSS_COMPILE={self.prefix}",) if self.prefix else ()
        # Without LOCALVERSION a tree in git would get a "+" in its release.
        return ("ARCH=arm64", *cross, f"CC={compiler}", f"KCFLAGS={_FLAGS}", "LOCALVERSION=")


def find() -> Toolchain:
    """The compiler for arm64 on this machine; MissingToolError if there is none."""
    prefix = "" if platform.machine() == "aarch64" else "aarch64-linux-gnu-"
    packages = [package for tool, package in _TOOLS.items() if not shutil.which(tool)]
    if not shutil.which(f"{prefix}gcc"):
        packages.append("gcc-aarch64-linux-gnu" if prefix else "gcc")
    if packages:
        raise MissingToolError(
            f"Building a kernel needs {' and '.join(packages)}: "
            f"run 'apt-get install {' '.join(packages)}'."
        )
    return Toolchain(prefix, _version(f"{prefix}gcc"), shutil.which("ccache") is not None)


@functools.cache
def _version(compiler: str) -> str:
    """The compiler's own line about itself: it differs between builds of a version."""
    shown = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return shown.stdout.splitlines()[0]


def environment(cache: Path) -> dict[str, str]:
    """The environment of `make`, the same for everybody who asks for a kernel."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "LC_ALL": "C",
        "KBUILD_BUILD_TIMESTAMP": _TIMESTAMP,
        "KBUILD_BUILD_USER": _BUILDER,
        "KBUILD_BUILD_HOST": _BUILDER,
        "KBUILD_BUILD_VERSION": "1",
        "CCACHE_DIR": str(cache / "ccache"),
        # Paths below the cache count as relative, so build directories share results.
        "CCACHE_BASEDIR": str(cache),
        # Without it ccache preprocesses every file first, half as much work again.
        "CCACHE_DEPEND": "1",
        "CCACHE_MAXSIZE": "5G",
    }
