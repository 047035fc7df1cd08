# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernel work as files people can read: ``features/<name>/``.

::

    library ─► model ─► patch ─┬► trial ─► render    the changed kernel files, for builds
                               ├► history ─► checkout  a git tree with a commit for each patch
                               ├► refresh             commits of such a tree, written back
                               └► checkpatch          what the kernel's own checker says

Nothing here knows how kernels are built.
"""

from granule.features.library import Library
from granule.features.model import Description, Feature
from granule.features.render import Change, Rendering, render
from granule.features.trial import Base

__all__ = ["Base", "Change", "Description", "Feature", "Library", "Rendering", "render"]
