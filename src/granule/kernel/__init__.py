# SPDX-License-Identifier: GPL-2.0-or-later
"""SPEC to a kernel that can be booted.

::

    spec.parse ─► origin ─► configure ─► make ─► store
                    ├► source, patched ─► tree   (Debian's source, with features)
                    └► revision                  (of the user's git tree)
                └► distribution, given           (built by others)

What is built is kept under the sha256 of all that decided it.
"""

from granule.kernel.build import provide
from granule.kernel.catalog import Catalog, shipped
from granule.kernel.kernel import BuiltKernel
from granule.kernel.selftests import Selftests, provide_selftests
from granule.kernel.source import SourceRecord
from granule.kernel.spec import (
    Built,
    Debian,
    Linux,
    Revision,
    Spec,
    extended,
    parse,
    prefixes,
)

__all__ = [
    "Built",
    "BuiltKernel",
    "Catalog",
    "Debian",
    "Linux",
    "Revision",
    "Selftests",
    "SourceRecord",
    "Spec",
    "extended",
    "parse",
    "prefixes",
    "provide",
    "provide_selftests",
    "shipped",
]
