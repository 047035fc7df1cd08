# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the fake kernel tree once, in a process a test can kill: TREE CACHE."""

import sys
from pathlib import Path

from granule.kernel import build
from granule.kernel.catalog import load
from granule.kernel.spec import Revision
from granule.kernel.toolchain import Toolchain
from granule.progress import SilentProgress

tree, cache = map(Path, sys.argv[1:])
kernel = build.provide(
    Revision(tree, "HEAD"),
    cache,
    SilentProgress(),
    catalog=load(Path(__file__).parent / "fake" / "kernel"),
    jobs=2,
    tools=Toolchain(prefix="", version="gcc of the test", ccache=False),
)
sys.stdout.write(str(kernel.image))
